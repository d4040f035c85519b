#!/bin/sh
# check-tidy.sh FOLDER [deep]: clang-tidy with .clang-tidy over src/ and tools/,
# by the compile commands of that build folder; two files at a time. One case.
# "deep" adds the analyzer, whose findings are for a person to judge.
set -u
cd "$(dirname -- "$0")/.." || exit 3
more=
[ "${2:-}" != deep ] || more='clang-analyzer-*,-clang-analyzer-valist.Uninitialized'
find src tools -name '*.c' -print0 |
	xargs -0 -P "$(nproc)" -n 4 clang-tidy -p "$1" --quiet --checks="$more" 2>/dev/null |
	grep -E 'warning:|error:' | sort -u >"$1/tidy.log"
if [ -s "$1/tidy.log" ]; then
	echo "not ok - clang-tidy"
	cat "$1/tidy.log"
	exit 1
fi
echo "ok - clang-tidy"
