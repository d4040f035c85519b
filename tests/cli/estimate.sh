#!/bin/sh
# shellcheck disable=SC2317
# estimate: one layout, from figures to the page.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# field NAME: the first number or word of a member of the JSON document in out.
field() {
	tr ',' '\n' <out | tr '{' '\n' | sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\"]*\)\"\{0,1\}.*/\1/p" | head -n 1
}
is() {
	[ "$(field "$1")" = "$2" ]
}

exits "70B on four H100" 0 estimate llama-3.1-70b --gpu h100-sxm --gpus 4 --concurrency 64
check "the page fits 100 columns" [ "$(wc -L <out)" -le 100 ]
check "says what limits it" grep -q '^What limits it: ' out
check "names the engine" grep -q 'run by vllm' out
check "shows the weights' share" grep -q '^weights  *35\.3 GB' out

exits "70B in 16 bit on two 24 GB cards is refused" 1 estimate llama-3.1-70b --gpu rtx-4090 --gpus 2
check "with the reason in numbers" grep -q 'needs 70\.6 GB for weights alone, has 25\.[0-9] GB' out
exits "the same as JSON" 1 estimate llama-3.1-70b --gpu rtx-4090 --gpus 2 --json
check "is not feasible" is feasible false
check "has the reason" grep -q '"reason": "needs 70.6 GB' out
exits "in 4 bit it runs" 0 estimate llama-3.1-70b --gpu rtx-4090 --gpus 2 --weights int4 --json
check "is feasible" is feasible true
check "the multiplication stays in 16 bit" is weight_only true

exits "a JSON document" 0 estimate llama-3.1-8b --gpu h100-sxm --json
check "has its schema" is schema whichgpu/estimate/1
check "has ranges" grep -Eq '"decode_tokens_per_s": *\{"low"|"decode_tokens_per_s": *\{$' out
check "the bound of one H100 is known" grep -Eq '"bound": "(compute|memory|host)"' out
check "evidence is a list" grep -q '"evidence": *\[' out
check "memory terms have their keys" grep -q '"kv_cache"' out

exits "a layout as given" 0 estimate llama-3.1-8b --gpu h100-sxm --gpus 8 --tensor 2 --pipeline 2 --json
check "the rest is copies" is data 2
exits "degrees that do not multiply" 1 estimate llama-3.1-8b --gpu h100-sxm --gpus 8 --tensor 3 --json
check "says so" grep -q 'tensor x pipeline x data is 3, not 8 GPUs' out
exits "heads that do not divide" 1 estimate llama-3.1-8b --gpu h100-sxm --gpus 3 --tensor 3
check "says so in numbers" grep -q '32 attention heads do not divide by tensor degree 3' out

exits "training" 0 estimate llama-3.1-8b --gpu h100-sxm --gpus 8 --task train --json
check "has utilisation" grep -q '"model_flops_utilisation"' out
check "by the usual engine" is engine megatron
exits "QLoRA on one card" 0 estimate llama-3.1-8b --gpu rtx-4090 --task qlora --json
check "the base is in 4 bit" is precision nf4

refused "no GPU" 'no GPU given' estimate llama-3.1-8b
refused "an unknown GPU" 'h1000' estimate llama-3.1-8b --gpu h1000-sxm-zz
refused "an unknown model" 'nonesuch' estimate nonesuch --gpu h100-sxm
refused "an unknown engine" 'unknown engine "vlm"' estimate llama-3.1-8b --gpu h100-sxm --engine vlm
check "the hint has the engines" grep -q 'vllm, sglang' err
refused "an engine for other work" 'does not do task "train"' estimate llama-3.1-8b --gpu h100-sxm --task train --engine vllm
refused "an unknown precision" 'unknown precision of weights "int5"' estimate llama-3.1-8b --gpu h100-sxm --weights int5
refused "a negative count" '--concurrency' estimate llama-3.1-8b --gpu h100-sxm --concurrency=-3
refused "no GPUs" '--gpus "0" is out of range' estimate llama-3.1-8b --gpu h100-sxm --gpus 0

finish
