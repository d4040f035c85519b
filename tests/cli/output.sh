#!/bin/sh
# Standard output that cannot take what is written: exit status 3, one
# sentence, no crash.
. "$(dirname "$0")/lib.sh"

one_sentence() {
	[ "$status" -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "$1" err
}

if [ -e /dev/full ]; then
	status=0
	"$WHICHGPU" completion bash >/dev/full 2>err || status=$?
	check "a full disk" one_sentence 'writing to standard output failed'
	status=0
	"$WHICHGPU" --help >/dev/full 2>err || status=$?
	check "a full disk under --help" one_sentence 'writing to standard output failed'
fi

status=0
"$WHICHGPU" completion bash >&- 2>err || status=$?
check "a closed output" one_sentence 'writing to standard output failed'

# the reader is gone before anything is written
{ ( sleep 0.2; status=0; "$WHICHGPU" completion bash 2>err || status=$?; echo "$status" >code ) | true; }
status=$(cat code)
check "a closed pipe" one_sentence 'writing to standard output failed'
finish
