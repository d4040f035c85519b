#!/bin/sh
# whichgpu plan: the main job through the program.
. "$(dirname "$0")/lib.sh"

json() { # NAME FILTER: the filter is true for the document
	check "$1" jq -e "$2" out
}

fits() { # COLUMNS: no line of the output is wider
	! grep -E "^.{$(($1 + 1))}" out
}

serve="plan llama-3.1-70b --task serve --input-tokens 1000 --output-tokens 300 --concurrency 32"

# --- the document -----------------------------------------------------------
# shellcheck disable=SC2086
exits "serving a 70B model" 0 $serve --json
json "has the documented keys" \
	'.schema == "whichgpu/plan/1" and all(.plans[]; has("rank") and has("gpu") and
	 has("gpus") and has("nodes") and has("layout") and has("precision") and has("engine") and
	 has("estimate") and has("cost") and has("why")) and has("refused") and has("flips")'
json "layout multiplies to the GPUs" \
	'all(.plans[]; .layout.tensor * .layout.pipeline * .layout.data == .gpus)'
json "ranked from 1, cheapest work first" \
	'[.plans[].rank] == [range(1; (.plans | length) + 1)] and
	 ([.plans[].cost.usd_per_million_output_tokens.likely] | . == sort)'
json "weights stay as they are stored" 'all(.plans[]; .precision == "bf16" and .as_stored)'
json "memory used is within what there is" \
	'all(.plans[].estimate.memory; .total_bytes <= .available_bytes)'
json "every speed is a range" \
	'all(.plans[].estimate.metrics.output_tokens_per_s; .low < .likely and .likely < .high)'
json "the usual latency is kept" \
	'.plans[0].estimate.metrics | .ttft_s.likely <= 5 and .tpot_s.likely <= 0.1'
json "refused ones have a reason in numbers" \
	'(.refused | length > 0) and all(.refused[]; .reason | test("[0-9]"))'
json "the price flip names another GPU" \
	'.plans[0].gpu as $first | [.flips[] | select(.kind == "price")][0] |
	 .gpu != $first and .then < .now'

# --- the same as text ---------------------------------------------------------
# shellcheck disable=SC2086
exits "as text" 0 $serve
check "fits 100 columns" fits 100
check "one paragraph for the first choice" grep -q "^First choice: " out
check "what would change the choice" grep -q "^What would change the choice" out
check "the refused" grep -q "^Refused" out
# shellcheck disable=SC2086
exits "on a narrow screen" 0 $serve --columns 80
check "fits 80 columns" fits 80
# shellcheck disable=SC2086
exits "as CSV" 0 $serve --csv
check "with units in the header" grep -q "output_tokens_per_s" out

# --- what fits -----------------------------------------------------------------
exits "70B bf16 not on one card of 80 GB" 1 plan llama-3.1-70b --gpu a100-sxm-80gb --max-gpus 1 --json
json "141.1 GB of weights are said" '.refused[0].reason | test("141.1 GB")'
exits "70B bf16 not on two 4090" 1 plan llama-3.1-70b --gpu rtx-4090 --max-gpus 2 --json
json "the best attempt was two of them" '.refused[0].gpus == 2 and .plans == []'
json "another precision is offered" 'any(.flips[]; .kind == "weights")'
exits "70B in 4 bit on 2 x 24 GB" 0 plan llama-3.1-70b --gpu rtx-4090 --max-gpus 2 \
	--weights int4 --concurrency 1 --json
json "with the context that fits" \
	'.plans[0].estimate.memory.largest_context_tokens | . > 1300 and . < 24000'
json "and what it costs in quality" '.plans[0].quality_loss == "noticeable"'

# --- tasks -----------------------------------------------------------------------
for task in batch finetune lora qlora train; do
	exits "task $task" 0 plan llama-3.1-8b --task "$task" --max-gpus 16 --json
	json "task $task: options" '.plans | length > 5'
done
exits "science without a model" 0 plan --task science --kernel dgemm --precision fp64 --json
json "science: FP64 on a 4090 is no bargain" \
	'[.plans[].gpu] | index("rtx-4090") == null and index("h100-sxm") != null'
exits "a run with amount, deadline and budget" 0 plan llama-3.1-8b --task qlora --tokens 50M \
	--deadline 30d --run-budget 500 --json
json "costs less than its budget" '.plans[0].cost.usd_per_run.likely <= 500'
exits "buying" 0 plan llama-3.1-8b --buy --budget 36000CNY --json
json "5033 USD in all at most" 'all(.plans[]; .cost.usd_to_buy.likely < 5034)'
exits "spot" 0 plan llama-3.1-8b --spot --json
json "spot prices" '.plans[0].cost.rent.kind == "spot"'
exits "hyperscalers" 0 plan llama-3.1-8b --class hyperscaler --gpu h100-sxm --json
json "their price" '.plans[0].cost.rent | .provider_class == "hyperscaler" and .usd.likely > 5'
exits "without prices" 0 plan llama-3.1-8b --no-price --json
json "fastest first" '[.plans[].estimate.metrics.output_tokens_per_s.likely] | . == (sort | reverse)'
exits "the Pareto set" 0 plan llama-3.1-8b --pareto --top 100 --json
json "dearer is faster" \
	'([.plans[].cost.usd_per_hour.likely] | . == sort) and
	 ([.plans[].estimate.metrics.output_tokens_per_s.likely] | . == sort)'
exits "two precisions" 0 plan llama-3.1-8b --weights any --gpu h100-sxm
check "starred, with the loss in a word" grep -q "loss of quality: fp8 small" out
exits "same answer twice" 0 plan llama-3.1-8b --stable --json
cp out first.json
run plan llama-3.1-8b --stable --json
check "byte for byte" cmp out first.json

# --- bad input ---------------------------------------------------------------------
refused "an unknown GPU" "rtx-4095" plan llama-3.1-8b --gpu rtx-4095
check "names the nearest" grep -q "rtx-4090" err
exits "an ambiguous GPU is taken, and said" 0 plan llama-3.1-8b --gpu A100
check "with the variants" grep -q "taken as a100" out
refused "an unknown model" "llama-9" plan llama-9
refused "no model" "no model given" plan --task serve
refused "a missing file" "none.json" plan ./none.json
mkdir empty
refused "a folder without config" "empty" plan ./empty
printf '{\n  "model_type": llama\n}\n' >broken.json
refused "a config that is no JSON" "broken.json" plan ./broken.json
check "with line and column" grep -Eq "broken.json:2:[0-9]+:" err
refused "a negative size" "" plan llama-3.1-8b --input-tokens -5
refused "negative money" "" plan llama-3.1-8b --budget=-5
refused "no amount of money" "5k apples" plan llama-3.1-8b --budget "5k apples"
refused "an ambiguous size" "80G" plan --task science --bytes 80G
refused "rent and buy" "exclude each other" plan llama-3.1-8b --rent --buy
refused "a budget without prices" "prices are not looked at" plan llama-3.1-8b --no-price --budget 5
refused "a deadline without an end" "amount of work" plan llama-3.1-8b --task train --deadline 5d
refused "latency of a training" "has no meaning" plan llama-3.1-8b --task train --ttft 1s
refused "a context below the prompt" "less than input and output" \
	plan llama-3.1-8b --input-tokens 5000 --output-tokens 10 --context 4000
refused "an option of another task" "no meaning for the task" plan llama-3.1-8b --kernel fft
refused "an unknown vendor" "no GPU of the vendor" plan llama-3.1-8b --vendor Voodoo
refused "a vendor and another's GPU" "made by" plan llama-3.1-8b --vendor AMD --gpu rtx-4090
refused "an unknown precision" "unknown precision" plan llama-3.1-8b --weights fp5
exits "nothing within the limits" 1 plan llama-3.1-70b --budget 0.1 --json
json "is an empty list with reasons" '.plans == [] and (.refused | length > 50)'
exits "and as text" 1 plan llama-3.1-70b --budget 0.1
check "in words" grep -q "Nothing does this work" out

# --- broken outputs ------------------------------------------------------------------
("$WHICHGPU" plan llama-3.1-8b --top 1000 --json 2>err; echo $? >rc) | head -c 10 >/dev/null
check "a closed pipe ends it with status 3" grep -qx 3 rc
"$WHICHGPU" plan llama-3.1-8b >/dev/full 2>err
status=$?
check "a full disk is said" [ "$status" -eq 3 ]
check "in one sentence" [ "$(wc -l <err)" -eq 1 ]

finish
