#!/bin/sh
# monitor --once on stand-in drivers: the article's box, MIG, none at all.
# shellcheck disable=SC2317
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
PROFILES=$ROOT/tests/fake-nvml/profiles
none="--root $WORK/none"

# The document in out holds this text, blanks aside.
json() {
	tr -d ' \n' <out | grep -qF -- "$1"
}

export FAKE_NVML_PROFILE="$PROFILES/a100-4090.profile"
# shellcheck disable=SC2086
exits "the box of two is read" 0 monitor --once --nvml "$FAKE_NVML" $none
check "name of the first" grep -q 'A100-SXM4-80GB' out
check "name of the second" grep -q 'RTX 4090' out
# 42949672960 of 85899345920 bytes: 42.9 of 85.9 GB, not 40 of 80.
check "memory used and there, in GB" grep -q '42\.9 of 85\.9 ' out
check "busy time" grep -q ' 97 ' out
check "temperature" grep -Eq ' 61 ' out
check "what is not reported is N/A" grep -q 'N/A' out

# shellcheck disable=SC2086
exits "as JSON" 0 monitor --once --json --nvml "$FAKE_NVML" $none
check "schema" json '"schema":"whichgpu/monitor/1"'
check "a reading is value, state and call" json \
	'"memory_used_bytes":{"value":42949672960,"state":"ok","call":"nvmlDeviceGetMemoryInfo_v2"}'
check "not supported is null" json \
	'"memory_celsius":{"value":null,"state":"not_supported","call":"nvmlDeviceGetFieldValues"}'
check "names are text" json '"name":"NVIDIAGeForceRTX4090"'
check "processes" json '"process_list":[{"pid":4712,'
check "rates come of two samples" grep -q 'growth of pcie_tx_bytes' out
# shellcheck disable=SC2086
run monitor --once --json --stable --nvml "$FAKE_NVML" $none
check "stable leaves out the time" [ -z "$(grep time_s out)" ]
# shellcheck disable=SC2086
exits "as CSV" 0 monitor --once --csv --nvml "$FAKE_NVML" $none
check "one row a GPU" [ "$(wc -l <out)" -eq 3 ]

export FAKE_NVML_PROFILE="$PROFILES/a100-mig.profile"
# shellcheck disable=SC2086
exits "MIG" 0 monitor --once --nvml "$FAKE_NVML" $none
check "instances have rows" grep -q '0:9.*MIG 1g.5gb' out
check "why there is no busy time" grep -q 'not in MIG' out
check "why there is no memory" grep -q 'no permission' out

export FAKE_NVML_PROFILE="$PROFILES/hang.profile"
# shellcheck disable=SC2086
exits "a hung driver is said in time" 1 monitor --once --timeout 300ms --nvml "$FAKE_NVML" $none
check "with a note" grep -q 'has not returned' out

# shellcheck disable=SC2086
exits "no GPU at all is the answer no" 1 monitor --once --nvml /nonexistent $none
check "it is said" grep -q 'No GPU was found' out
check "and why" grep -q 'cannot be opened' out
# shellcheck disable=SC2086
exits "and in JSON" 1 monitor --once --json --nvml /nonexistent $none
check "with notes" json '"kind":"no_library"'
check "and no GPUs" json '"gpus":[]'
check "nothing on standard error" [ ! -s err ]

exits "demo" 0 monitor --once --demo 4
check "says that it is one" grep -q 'Demo' out
refused "too many made-up GPUs" "demo" monitor --once --demo 65
finish
