#!/bin/sh
# The examples of every command, as --help and the manual show them, work: they
# end with an answer (exit status 0 or 1) and print something.
. "$(dirname "$0")/lib.sh"

"$WHICHGPU" --man | sed -n 's/^\\fB\(whichgpu .*\)\\fR$/\1/p' | sed 's/\\-/-/g; s/\\e/\\/g' >examples

mkdir bin
ln -s "$WHICHGPU" bin/whichgpu
PATH=$WORK/bin:$PATH

answers() {
	status=0
	sh -c "$1" >out 2>err </dev/null || status=$?
	[ "$status" -le 1 ] && [ -s out ]
}

check "commands have examples" [ -s examples ]
while IFS= read -r line; do
	check "$line" answers "$line"
done <examples
finish
