#!/bin/sh
# gpus, show, compare: what they print, and what they refuse.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# says FILTER EXPECTED: what jq finds in the document.
says() {
	[ "$(jq -r "$1" out)" = "$2" ]
}

lacks() { ! grep -qF -- "$1" out; }
has() { grep -qF -- "$1" out; }

if ! command -v jq >/dev/null; then
	skip "documents" "no jq to read JSON with"
else
	exits "show --json answers" 0 show rtx-4090 --json
	check "schema" says .schema whichgpu/show/1
	check "4090 FP16 dense" says .gpu.dense_ops_per_s.fp16.value 165200000000000
	check "4090 FP16 with FP16 accumulation" says .gpu.dense_ops_per_s.fp16_accumulate_fp16.value 330300000000000
	check "4090 INT8 sparse" says .gpu.sparse_ops_per_s.int8.value 1321200000000000
	check "a figure has a source" says .gpu.dense_ops_per_s.fp16.source nvidia-ada-whitepaper
	check "and a confidence" says .gpu.dense_ops_per_s.fp16.confidence high
	check "4090 has no link" says .gpu.link_bytes_per_s null
	exits "show a100 --json answers" 0 show a100-sxm-80gb --json
	check "A100 bandwidth" says .gpu.memory_bytes_per_s.value 2039000000000
	check "A100 has no FP8" says .gpu.dense_ops_per_s.fp8 null
	check "A100 FP64" says .gpu.dense_ops_per_s.fp64.value 9700000000000
	check "A100 FP64 tensor" says .gpu.dense_ops_per_s.fp64_tensor.value 19500000000000
	exits "an ambiguous name answers" 0 show A100 --json
	check "with the usual variant" says .gpu.id a100-sxm-80gb
	check "and the assumption" has "several GPUs"
	exits "gpus --json answers" 0 gpus --json
	check "gpus have the members of show" says .gpus[0].dense_ops_per_s.fp64_tensor.confidence high
	exits "compare --json answers" 0 compare a100-sxm-80gb h100-sxm --rates fp16 --json
	check "ratios say what they are of" says .ratios[4].figure dense_ops_per_s.fp16
	check "on which basis" says .ratios[4].basis dense
	check "of which GPUs" says .ratios[4].to a100-sxm-80gb
fi

exits "show prints figures" 0 show h100-sxm
check "bandwidth" has "3.35 TB/s"
check "FP16" has 989.4
check "the driver's memory" has "85.52 GB"
exits "show --sources" 0 show h100-sxm --sources
check "shows values that were not chosen" has 3.36
check "and why" has PRELIMINARY
exits "a name in Chinese" 0 show "英伟达 RTX 4090"
check "is matched" has "(rtx-4090)"
exits "show prints 1321 for no FP16 row" 0 show rtx-4090 --csv
check "csv has SI values" has 25757220864

exits "compare prints ratios" 0 compare a100-sxm-80gb h100-sxm rtx-4090
check "H100 to A100" sh -c "grep 'FP16 dense' out | grep -qw 3.17"
check "4090 to A100" sh -c "grep 'FP16 dense' out | grep -qw 0.53"
exits "compare draws" 0 compare a100-sxm-80gb h100-sxm --svg bars.svg
check "an svg" grep -q '<svg' bars.svg
exits "compare of sparse rates" 0 compare a100-sxm-80gb h100-sxm --basis sparse
check "says sparse" has "FP16 sparse"
check "and not dense" lacks "FP16 dense"
refused "sparse against dense" "cannot be divided" compare a100-sxm-80gb h100-sxm --basis dense,sparse
refused "an unknown basis" '"half"' compare a100-sxm-80gb h100-sxm --basis half
refused "an unknown rate" '"fp17"' compare a100-sxm-80gb h100-sxm --rates fp17
refused "one GPU" "compare" compare h100-sxm
refused "an unknown GPU" "nearest: rtx-4090" show rtx-4909
refused "no GPU" "show" show
refused "an empty name" 'named ""' show ""
refused "a missing folder of own GPUs" "/nowhere" show t4 --data /nowhere

exits "gpus lists" 0 gpus
check "a data-centre GPU" has h100-sxm
check "a consumer GPU" has rtx-4090
exits "gpus of an architecture" 0 gpus hopper
check "has its GPUs" has h200-nvl
check "and no others" lacks rtx-4090
exits "gpus with enough memory" 0 gpus --vendor amd --memory 200GB
check "has large ones" has mi300x
check "and no small ones" lacks mi210
refused "a negative size" "memory" gpus --memory -5GB
exits "nothing found is a no" 1 gpus nosuchthing
check "and is said" has "No GPU"

mkdir mine
cat >mine/my-gpu.json <<'JSON'
{"id": "my-gpu", "name": "My GPU", "class": "consumer", "link": "pcie",
 "sources": {"me": {"title": "I", "reference": "here"}},
 "figures": {"board_watts": {"value": 42, "source": "me", "confidence": "high"}}}
JSON
exits "a GPU of one's own" 0 show my-gpu --data mine
check "is shown" has "42  high"
echo '{"id": "x",' >mine/my-gpu.json
refused "a broken file" "my-gpu.json" show t4 --data mine
finish
