#!/bin/sh
# whichgpu prices: what it lists, and what it refuses.
. "$(dirname "$0")/lib.sh"

json() { # NAME FILTER: the filter is true for the document
	check "$1" jq -e "$2" out
}

exits "lists one GPU" 0 prices list h100-sxm --json
json "rows have the documented keys" \
	'.schema == "whichgpu/prices/1" and (.prices | length > 50) and
	 all(.prices[]; has("gpu") and has("kind") and has("provider") and has("region") and
	 has("as_of") and has("source") and (has("usd_per_gpu_hour") or has("usd_per_gpu")))'
json "every row is of that GPU, dated and sourced" \
	'all(.prices[]; .gpu == "h100-sxm" and (.as_of | test("^20[0-9][0-9]")) and .source != "")'
json "classes are kept apart" \
	'[.summary[] | select(.kind == "on-demand") | .provider_class] | sort ==
	 ["hyperscaler", "marketplace", "neocloud"]'

exits "kind and class narrow" 0 prices list --kind spot --class marketplace --json
json "only spot of marketplaces" \
	'all(.prices[]; .kind == "spot" and .provider_class == "marketplace")'

exits "a name with a variant left open is taken and said" 0 prices list A100
check "the variants are named" grep -q "a100" out
exits "a Chinese name" 0 prices list 英伟达4090
check "it is the RTX 4090" grep -q rtx-4090 out
exits "csv" 0 prices list rtx-4090 --csv
check "has the header" grep -q "gpu,kind" out
exits "nothing found is the answer no" 1 prices list rtx-4090 --kind reserved-3y

refused "an unknown GPU" "rtx-4095" prices list rtx-4095
check "names the nearest" grep -q "rtx-4090" err
refused "an unknown kind" "unknown kind of price" prices list --kind rent
refused "an unknown class" "unknown class of provider" prices list --class cloud
refused "another word" "is nothing prices can do" prices lost
refused "no word" "" prices

run prices list >/dev/null
("$WHICHGPU" prices list --json 2>err; echo $? >rc) | head -c 100 >/dev/null
check "a closed pipe ends it with status 3" grep -qx 3 rc
"$WHICHGPU" prices list >/dev/full 2>err
status=$?
check "a full disk is said" [ "$status" -eq 3 ]
check "in one sentence" [ "$(wc -l <err)" -eq 1 ]

finish
