#!/bin/sh
# Every test and check, with one closing line "N passed, N failed, N skipped".
#
#   tools/test.sh          all of it
#   tools/test.sh quick    the gcc build, its tests and the style checks
#
# Called by ./run test, which has installed the packages. A case is what a test
# program counts as one (a cmocka test, an "ok - NAME" line of a script); a
# program that counts nothing is one case.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root" || exit 3
logs=$root/build-run/test-logs
mkdir -p "$logs"
passed=0
failed=0
skipped=0
started=$(date +%s)

say() {
	printf 'test: %s\n' "$*"
}

elapsed() {
	echo "$(($(date +%s) - started)) s"
}

# Adds "PASSED FAILED SKIPPED" to the totals.
add() {
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
}

# attempt NAME COMMAND...: one case; its output is shown when it fails.
attempt() {
	name=$1
	shift
	log=$logs/$(printf '%s' "$name" | tr ' /' '--').log
	say "$name"
	if "$@" >"$log" 2>&1; then
		add 1 0 0
		return 0
	fi
	add 0 1 0
	grep -E -A 12 'error|FAILED|warning' "$log" | head -n 60
	[ -s "$log" ] && tail -n 20 "$log"
	say "not ok - $name (all of it: $log)"
	return 1
}

# checks SCRIPT: counts its "ok - " and "not ok - " lines.
checks() {
	log=$logs/$(basename "$1").log
	"$@" >"$log" 2>&1
	status=$?
	good=$(grep -c '^ok - ' "$log")
	bad=$(grep -c '^not ok - ' "$log")
	[ $status -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	[ "$bad" -eq 0 ] || grep -v '^ok - ' "$log"
	say "$(basename "$1"): $good passed, $bad failed ($(elapsed))"
	add "$good" "$bad" 0
}

# shellcheck disable=SC2317
configure() { # FOLDER OPTION...
	folder=$1
	shift
	if [ -e "$folder/build.ninja" ]; then
		meson setup --reconfigure "$folder" -Dtests=enabled
	else
		meson setup "$folder" -Dtests=enabled "$@"
	fi
}

# Cases of all programs in a meson log, as "PASSED FAILED SKIPPED".
# shellcheck disable=SC2016
count_cases='
def lines(pattern): [(.stdout // "") | split("\n")[] | select(test(pattern))] | length;
map({
	ok: lines("^\\[       OK \\] |^ok - "),
	bad: lines("^\\[  FAILED  \\] |^not ok - "),
	skip: lines("^\\[  SKIPPED \\] |^skipped - "),
	result
}
| if .result == "SKIP" and .ok + .skip == 0 then .skip = 1
  elif .ok + .bad + .skip == 0 and .result == "OK" then .ok = 1
  elif .result != "OK" and .result != "SKIP" and .bad == 0 then .bad = 1
  else . end)
| "\(map(.ok) | add) \(map(.bad) | add) \(map(.skip) | add)"'

run_tests() { # FOLDER
	log=$logs/$1-tests.log
	meson test -C "$1" --no-rebuild -t 4 --print-errorlogs -q >"$log" 2>&1
	status=$?
	# shellcheck disable=SC2046
	set -- "$1" $(jq -rs "$count_cases" "$1/meson-logs/testlog.json")
	if [ $# -ne 4 ] || { [ $status -ne 0 ] && [ "$3" -eq 0 ]; }; then
		set -- "$1" 0 1 0
	fi
	[ "$3" -eq 0 ] || tail -n 150 "$log"
	say "tests in $1: $2 passed, $3 failed, $4 skipped ($(elapsed))"
	add "$2" "$3" "$4"
}

build_and_test() { # WORDS FOLDER OPTION...
	words=$1
	folder=$2
	shift 2
	attempt "configure $words" configure "$folder" "$@" || return
	attempt "build $words" ninja -C "$folder" || return
	run_tests "$folder"
}

finish() {
	say "took $(elapsed)"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
	exit
}

[ $# -eq 0 ] || [ "$1" = quick ] || {
	echo "usage: tools/test.sh [quick]" >&2
	exit 2
}
checks tools/check-layers.sh
checks tools/check-style.sh
checks tools/check-po.sh
build_and_test "with gcc, warnings as errors" build-run -Dbuildtype=release -Doptimization=2
[ "${1:-}" != quick ] || finish
CC=clang
export CC
build_and_test "with clang and ASan, UBSan" build-sanitize -Dbuildtype=debug -Doptimization=1 \
	-Db_sanitize=address,undefined -Db_lundef=false
checks tools/check-tidy.sh build-sanitize
checks tests/fuzz/run.sh 15
finish
