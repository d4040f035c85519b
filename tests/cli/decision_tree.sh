#!/bin/sh
# The nine branches of the decision tree of docs/decision-tree.md: three sizes
# of model, three kinds of buyer. What each must show is argued there.
. "$(dirname "$0")/lib.sh"

three="--gpu a100-sxm-80gb,h100-sxm,rtx-4090"
many="$three --max-gpus 64"

# first NAME GPU ARGUMENTS: that GPU is the first choice.
first() {
	name=$1
	gpu=$2
	shift 2
	run plan "$@" --json
	check "$name: $gpu" jq -e --arg gpu "$gpu" '.plans[0].gpu == $gpu' out
}

json() { # NAME FILTER
	check "$1" jq -e "$2" out
}

# --- a short project: fine-tune on 1e9 tokens within a week, rented -----------
short="--task finetune --tokens 1B --deadline 7d"
# shellcheck disable=SC2086
first "under 1B, short" rtx-4090 qwen3-0.6b $short $many
json "one is enough" '.plans[0].gpus == 1'
# shellcheck disable=SC2086
first "1-10B, short" h100-sxm llama-3.1-8b $short $many
json "the states of a full fine-tune need several" '.plans[0].gpus > 1'
# shellcheck disable=SC2086
first "over 10B, short" h100-sxm llama-3.1-70b $short $many
json "a cluster of them" '.plans[0].nodes > 1'
json "the deadline is kept" '.plans[0].estimate.metrics.hours_total.likely <= 168'
json "no RTX 4090 over several machines" \
	'any(.refused[]; .gpu == "rtx-4090" and .key == "fabric")'

# --- a long project: serving 64 at a time, bought ------------------------------
long="--task serve --concurrency 64 --buy"
# shellcheck disable=SC2086
first "under 1B, long" rtx-4090 qwen3-0.6b $long $many
# shellcheck disable=SC2086
first "1-10B, long" rtx-4090 llama-3.1-8b $long $many
# shellcheck disable=SC2086
first "over 10B, long" h100-sxm llama-3.1-70b $long $many
json "an owned hour is cheaper than a rented one" \
	'.plans[0] | .cost.usd_per_hour.likely / .gpus < .cost.rent.usd.likely'
json "but pays only after months" \
	'.plans[0].cost | .purchase.usd.likely / .rent.usd.likely / 24 > 180'

# --- a person with 5,000 USD ------------------------------------------------------
own="--buy --budget 5000"
# shellcheck disable=SC2086
first "under 1B, personal" rtx-4090 qwen3-0.6b --task finetune --tokens 1B $own $three
# shellcheck disable=SC2086
first "1-10B, personal" rtx-4090 llama-3.1-8b --task qlora --tokens 50M $own $three
# shellcheck disable=SC2086
first "over 10B, personal" rtx-4090 llama-3.1-70b --task serve --concurrency 1 --weights int4 $own $three
json "in a precision that loses quality, and says so" '.plans[0].quality_loss == "noticeable"'
json "the data-centre cards are over the budget" \
	'[.refused[] | select(.key == "budget") | .gpu] | sort == ["a100-sxm-80gb", "h100-sxm"]'
# shellcheck disable=SC2086
run plan llama-3.1-70b --task serve --concurrency 1 $own $three --json
json "as stored nothing fits the budget" '.plans == []'

finish
