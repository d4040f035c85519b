#!/bin/sh
# Records: made, killed, played back, reported on.
# shellcheck disable=SC2317
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
json() {
	tr -d ' \n' <out | grep -qF -- "$1"
}
none="--root $WORK/none"

exits "a record of a moment" 0 monitor --demo 2 --record a.db --interval 50ms --duration 1s --json
check "tells what it wrote" json '"gpus":2'
check "the file is there" [ -s a.db ]
exits "the last sample is shown" 0 monitor --replay a.db
check "with the recorded names" grep -q 'Demo consumer GPU' out
exits "and as JSON" 0 monitor --once --replay a.db --json
check "with the recorded calls" json '"call":"madeup"'

exits "the report" 0 monitor report a.db --usd-per-kwh 0.25 --json
check "has both GPUs" json '"key":"demo:01:00.0"'
check "has energy by the counter" json '"energy_from":"counter"'
check "has the price" json '"usd_per_kwh":0.25'
exits "the report as text" 0 monitor report a.db
check "says what is missing" grep -q 'usd-per-kwh' out
exits "with a picture" 0 monitor report a.db --svg a.svg
check "which is one" grep -q '</svg>' a.svg

# A1: kill -9 in the middle.
"$WHICHGPU" monitor --demo 8 --record k.db --interval 50ms >/dev/null 2>&1 &
pid=$!
# The kill waits for samples, not for the clock: a busy machine is slow to start.
tries=0
samples=0
while [ "${samples:-0}" -lt 5 ] && [ $tries -lt 60 ]; do
	sleep 0.5
	tries=$((tries + 1))
	run monitor report k.db --json
	samples=$(grep '"samples"' out | tr -dc 0-9)
done
kill -9 $pid
wait $pid 2>/dev/null
exits "a killed record reports" 0 monitor report k.db --json
check "on many samples" [ "$(grep '"samples"' out | tr -dc 0-9)" -ge 5 ]

# A2: a signal ends it in order, with the answer printed.
"$WHICHGPU" monitor --demo 1 --record s.db --interval 50ms >s.out 2>&1 &
pid=$!
sleep 0.7
kill -TERM $pid
wait $pid
status=$?
check "a signal ends it in order" [ "$status" -eq 0 ]
check "and it says what was written" grep -q 's.db' s.out

export FAKE_NVML_PROFILE="$ROOT/tests/fake-nvml/profiles/a100-4090.profile"
# shellcheck disable=SC2086
exits "a record of stand-in GPUs" 0 monitor --nvml "$FAKE_NVML" $none --record n.db \
	--interval 100ms --duration 1s
exits "reports on them" 0 monitor report n.db --json
check "power of the first" json '"peak_watts":{"value":352.25,'
check "the second has no counter of rows" json '"name":"NVIDIAGeForceRTX4090"'

refused "no file named" "needs the file" monitor report
refused "another word" "no word" monitor rapport a.db
refused "a picture of now" "picture" monitor --once --demo 1 --svg x.svg
refused "both once and record" "exclude" monitor --once --record x.db
echo hello >text.db
refused "a text is no record" "text.db" monitor report text.db
refused "no such record" "cannot be opened" monitor --replay missing.db
refused "a folder that is not there" "nowhere" monitor --demo 1 --record nowhere/x.db --duration 1s
finish
