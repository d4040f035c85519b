#!/bin/sh
# Every example in every form: text keeps within the width it is given, JSON is
# one document with its schema, CSV has as many fields in each row, and
# the page needs nothing from elsewhere.
. "$(dirname "$0")/lib.sh"

"$WHICHGPU" --man | sed -n 's/^\\fB\(whichgpu .*\)\\fR$/\1/p' | sed 's/\\-/-/g; s/\\e/\\/g' |
	grep -v -e '--json' -e '--csv' -e '--markdown' -e '--html' -e '--columns' -e '[|>]' >examples
mkdir bin
ln -s "$WHICHGPU" bin/whichgpu
PATH=$WORK/bin:$PATH

answer() { # LINE OPTIONS...: like the example, with more options
	status=0
	sh -c "$*" >out 2>err </dev/null || status=$?
	[ "$status" -le 1 ]
}
fits() { # LINE WIDTH
	answer "$1" --columns "$2" || return 1
	widest=$(wc -L <out)
	[ "$widest" -le "$2" ] || { awk -v w="$2" 'length($0) > w' out; return 1; }
}
is_document() {
	answer "$1" --json || return 1
	command=$(echo "$1" | cut -d' ' -f2)
	[ "$(jq -s 'length' out)" -eq 1 ] && jq -e ".schema == \"whichgpu/$command/1\"" out
}
# No number in words, no unit in a key's value: JSON keys are snake_case.
has_plain_keys() {
	jq -r '[paths | .[] | strings] | unique[]' out | grep -Ev '^[a-z0-9]+(_[a-z0-9]+)*$' | grep -v -- '-' && return 1
	return 0
}
is_table() {
	answer "$1" --csv || return 1
	# no quoted field in the examples has a line end
	sed 's/"[^"]*"/q/g' out | awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || !NR }'
}
is_page() {
	answer "$1" --html page.html && [ -s page.html ] && ! grep -q '<script\|http-equiv\|src=' page.html
}

while IFS= read -r line; do
	command=$(echo "$line" | cut -d' ' -f2)
	"$WHICHGPU" "$command" --help | grep -q -- '--json' || continue
	for width in 40 100; do
		check "within $width: $line" fits "$line" "$width"
	done
	if command -v jq >/dev/null; then
		check "JSON: $line" is_document "$line"
		check "keys: $line" has_plain_keys
	else
		skip "JSON: $line" "no jq here"
	fi
	check "CSV: $line" is_table "$line"
	check "page: $line" is_page "$line"
done <examples
finish
