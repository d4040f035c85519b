#!/bin/sh
# What a machine can see of the style: layout, lengths, complexity, words,
# scripts. One line "ok - NAME" or "not ok - NAME" a check. The formatter is
# left out for include/, whose comments are set by hand.
set -u
cd "$(dirname -- "$0")/.." || exit 3
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# report NAME FILE: the check is good when the file with its findings is empty.
report() {
	if [ ! -s "$2" ]; then
		echo "ok - $1"
		return
	fi
	echo "not ok - $1"
	head -n 40 "$2" | sed 's/^/  /'
	failed=1
}

tracked() {
	git ls-files --cached --others --exclude-standard -- "$@" | while read -r name; do
		[ -f "$name" ] && echo "$name"
	done
}

tracked 'src/*.c' 'src/*.h' 'tests/*.c' 'tests/*.h' 'tools/*.c' >"$work/sources"
tracked 'include/*.h' >"$work/headers"

xargs -r clang-format --dry-run <"$work/sources" 2>&1 | grep 'warning:' |
	cut -d: -f1,2 | sort -u -t: -k1,1 >"$work/format"
report "clang-format (fix with clang-format -i FILE)" "$work/format"

# pmccabe: modified McCabe, traditional, statements, first line, lines, place.
xargs -r pmccabe <"$work/sources" 2>/dev/null | awk -F'\t' \
	'$5 > 80 { print $6 ": " $7 " has " $5 " lines, at most 80" }' >"$work/length"
report "functions of at most 80 lines" "$work/length"
xargs -r pmccabe <"$work/sources" 2>/dev/null | awk -F'\t' \
	'$1 > 20 { print $6 ": " $7 " has complexity " $1 ", at most 20" }' >"$work/complex"
report "cyclomatic complexity of at most 20" "$work/complex"

xargs -r wc -l <"$work/sources" | awk '
	{ most = $2 ~ /^tests/ ? 1000 : 600 }
	$2 != "total" && $1 > most { print $2 " has " $1 " lines, at most " most }' >"$work/files"
xargs -r wc -l <"$work/headers" | awk \
	'$2 != "total" && $1 > 250 { print $2 " has " $1 " lines, at most 250" }' >>"$work/files"
report "files of at most 600 lines, of tests 1000, headers 250" "$work/files"

# Tabs count 8, as in the formatter.
# shellcheck disable=SC2016
expand_columns() {
	xargs -r awk '
		{ line = $0; width = 0
		  for (i = 1; i <= length(line); i++)
			width = substr(line, i, 1) == "\t" ? width + 8 - width % 8 : width + 1
		  if (width > 110) print FILENAME ":" FNR ": " width " columns" }' <"$1"
}
LC_ALL=C.UTF-8 expand_columns "$work/headers" >"$work/columns"
report "headers within 110 columns" "$work/columns"

tracked . | grep -v '^LICENSE$' | xargs -r grep -nI '[[:blank:]]$' >"$work/blanks"
report "no blanks at line ends" "$work/blanks"

# Words that say that something is not finished or where it was made.
tracked . | grep -vE '^(LICENSE|tools/check-style\.sh|po/.*)$' |
	xargs -r grep -nIE '\b(TODO|FIXME|XXX|HACK|WIP)\b|[Nn]ot implemented|\bstub(s|bed)?\b|/work/' \
		>"$work/words"
report "no unfinished words" "$work/words"

# The library never prints or exits; only the front ends do.
grep -vE '^(src/(cli|http|tui)/|tests/|tools/)' "$work/sources" |
	xargs -r grep -nE '\b(printf|puts|putchar|perror|exit|abort|_exit)\(|\bfprintf\(std' |
	grep -vE 'format\(printf|wg_text_printf|^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)' >"$work/silent"
report "the library does not print or exit" "$work/silent"

tracked '*.sh' run .ci/run | xargs -r shellcheck -x -S warning -P SCRIPTDIR >"$work/shell" 2>&1
report "shellcheck" "$work/shell"

tracked 'data/*.json' | while read -r name; do
	jq -e . "$name" >/dev/null 2>"$work/error" || echo "$name: $(cat "$work/error")"
done >"$work/json"
report "data files are JSON" "$work/json"
exit $failed
