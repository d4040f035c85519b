#!/bin/sh
# Runs the fuzz targets, two at a time: tests/fuzz/run.sh [SECONDS] [TARGET...]
#
# 15 s each is the smoke run; before a release each target gets 30 minutes of
# CPU time (tests/fuzz/run.sh 1800). The corpus grows in build-fuzz/corpus and
# is kept from run to run. What breaks a target is written to
# build-fuzz/findings; turn it into a unit test, then fix its whole kind.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-15}
[ $# -gt 0 ] && shift
build=${FUZZ_BUILD:-build-fuzz}
[ -d "$build" ] || CC=clang meson setup "$build" -Dfuzz=true -Dtests=disabled >/dev/null
[ $# -gt 0 ] || set -- config csv gguf gpu index json number safetensors
for target; do
	programs="${programs-} tests/fuzz/fuzz_$target"
done
# shellcheck disable=SC2086
ninja -C "$build" tests/fuzz/make_seeds $programs >"$build/build.log" || {
	cat "$build/build.log"
	echo "not ok - fuzz targets build"
	exit 1
}
mkdir -p "$build/corpus" "$build/findings" "$build/fuzz-logs"
"$build/tests/fuzz/make_seeds" "$build/seeds"

run_one() {
	mkdir -p "$build/corpus/$1" "$build/seeds/$1"
	"$build/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 \
		-max_len=20000 -print_final_stats=1 -artifact_prefix="$build/findings/$1-" \
		"-dict=tests/fuzz/dict/$1.dict" \
		"$build/corpus/$1" "$build/seeds/$1" >"$build/fuzz-logs/$1" 2>&1
}

failed=0
report() {
	if wait "$2"; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/fuzz-logs/$1")
		echo "ok - fuzz $1: $runs inputs in $seconds s"
	else
		echo "not ok - fuzz $1"
		tail -n 30 "$build/fuzz-logs/$1"
		failed=1
	fi
}

while [ $# -gt 0 ]; do
	run_one "$1" & first=$!
	second=
	[ $# -gt 1 ] && { run_one "$2" & second=$!; }
	report "$1" "$first"
	[ -n "$second" ] && { report "$2" "$second"; shift; }
	shift
done
exit $failed
