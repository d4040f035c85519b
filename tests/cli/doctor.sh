#!/bin/sh
# doctor: exit status and document on ill, healthy and absent GPUs.
# shellcheck disable=SC2317
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
PROFILES=$ROOT/tests/fake-nvml/profiles
json() {
	tr -d ' \n' <out | grep -qF -- "$1"
}
with() { # PROFILE ARGUMENTS
	FAKE_NVML_PROFILE="$PROFILES/$1.profile"
	export FAKE_NVML_PROFILE
	shift
	run doctor --between 100ms --nvml "$FAKE_NVML" --root "$WORK/none" "$@"
}

with sick
check "ill GPUs are the answer no" [ "$status" -eq 1 ]
check "faults come first" [ "$(grep -c . out)" -gt 10 ]
check "evidence is shown" grep -q '300 W of 400 W' out
with sick --json
check "findings in JSON" json '"severity":"fault","code":"slowed_power_brake"'
check "with their GPU" json '{"gpu":"0000:07:00.0","severity":"warning","code":"pcie_width"'
with sick --csv
check "as CSV" grep -q '^FAULT,0000:07:00.0,' out
with h200
check "a healthy GPU passes" [ "$status" -eq 0 ]
check "and it says what was checked" grep -q 'checks made' out
mkdir -p log/dev
echo '6,1,2,-;NVRM: Xid (PCI:0000:19:00): 79, GPU has fallen off the bus.' >log/dev/kmsg
run doctor --between 100ms --nvml "$FAKE_NVML" --root "$WORK/log"
check "an XID in the kernel's log is a fault" [ "$status" -eq 1 ]
check "in plain words" grep -q 'fallen' out
exits "no GPU" 1 doctor --nvml /nonexistent --root "$WORK/none"
check "is said" grep -q 'No GPU was found' out
exits "made-up GPUs" 0 doctor --demo 2 --between 100ms
refused "no words" "too many" doctor gpu0
finish
