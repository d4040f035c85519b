#!/bin/sh
# The command line itself: help, unknown words, exit statuses.
. "$(dirname "$0")/lib.sh"

exits "no arguments is the overview" 0
check "the overview has usage" grep -q '^Usage: whichgpu COMMAND' out
check "the overview fits 100 columns" [ "$(awk '{ print length }' out | sort -n | tail -1)" -le 100 ]
exits "--help" 0 --help
exits "help" 0 help
exits "--version" 0 --version
check "the version is one line" grep -Eqx 'whichgpu [0-9]+\.[0-9]+\.[0-9]+' out

refused "an unknown command" 'unknown command "complation"' complation
check "has a hint" grep -q 'did you mean completion' err
refused "a command like no other" 'unknown command "zzzzzzzz"' zzzzzzzz
check "points to the list" grep -q 'lists the commands' err
refused "an option before the command" 'unknown option "--json"' --json completion bash
refused "an unknown option" 'unknown option "--langg"' completion --langg zh bash
check "has the nearest option" grep -q 'did you mean --lang' err
refused "a missing word" '"completion" needs' completion
check "shows the usage" grep -q 'usage: whichgpu completion' err
refused "a word too many" '"b" is one word too many' completion bash b
refused "an unknown language" '--lang "de" is not one of its choices' completion --lang de bash
refused "too narrow" '--columns "20" is out of range' completion --columns 20 bash
refused "not a number" '--columns "wide" is not a whole number' completion --columns wide bash
refused "an option that the command has not" 'does not offer --json' completion --json bash
refused "a shell we do not know" 'no completion for "tcsh"' completion tcsh
refused "control characters do not reach the terminal" 'unknown command "a?[31m"' "$(printf 'a\033[31m')"
refused "an empty word" 'unknown command ""' ""
exits "options may follow words" 0 completion bash --columns 80
exits "a long option may be cut short" 0 completion --col 80 bash
exits "--lang may stand before the command" 0 --lang en completion bash

every_command_helps() {
	for command in $("$WHICHGPU" --man | sed -n 's/^\.BR whichgpu\\-\(.*\) (1)/\1/p'); do
		"$WHICHGPU" "$command" --help >help.txt || return 1
		grep -q "^Usage: whichgpu $command" help.txt || return 1
		"$WHICHGPU" help "$command" >help2.txt && cmp help.txt help2.txt || return 1
		[ "$(awk '{ print length }' help.txt | sort -n | tail -1)" -le 100 ] || return 1
	done
}
check "every command has --help within 100 columns" every_command_helps

# The options that --help shows are those of the manual and of the completion.
options_of_help() {
	"$WHICHGPU" "$1" --help | grep -Eo '^  (-., )?--[a-z0-9-]+' | grep -Eo -- '--[a-z0-9-]+' | sort
}
options_of_man() {
	"$WHICHGPU" --man "$1" | sed -n 's/.*\\fB\\-\\-\([^ ]*\)\\fR.*/--\1/p' | sed 's/\\-/-/g' | sort
}
options_of_completion() {
	"$WHICHGPU" completion bash | sed -n "s/^\t\t$1) words=' \(.*\)' ;;/\1/p" | tr ' ' '\n' | sort
}
same_options() {
	for command in $("$WHICHGPU" --man | sed -n 's/^\.BR whichgpu\\-\(.*\) (1)/\1/p'); do
		options_of_help "$command" >h
		options_of_man "$command" >m
		options_of_completion "$command" >c
		[ -s h ] && cmp h m && cmp h c || return 1
	done
}
check "help, manual and completion have the same options" same_options

lint_pages() {
	for page in '' $("$WHICHGPU" --man | sed -n 's/^\.BR whichgpu\\-\(.*\) (1)/\1/p'); do
		# shellcheck disable=SC2086
		"$WHICHGPU" --man $page >page.1
		mandoc -Tlint -W warning page.1 | grep -v 'missing date' && return 1
	done
	return 0
}
if command -v mandoc >/dev/null; then
	check "mandoc finds nothing in the manual" lint_pages
else
	skip "mandoc finds nothing in the manual" "no mandoc here"
fi

complete_with() { # WORDS...
	bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		compopt() { :; }; _whichgpu; printf "%s\n" "${COMPREPLY[@]}"' sh "$@"
}
if command -v bash >/dev/null; then
	"$WHICHGPU" completion bash >completion.bash
	check "bash reads the completion" bash -n completion.bash
	complete_with whichgpu comp >got
	check "a command is completed" grep -qx completion got
	complete_with whichgpu completion --lan >got
	check "an option is completed" grep -qx -- --lang got
	complete_with whichgpu completion --lang z >got
	check "a choice is completed" grep -qx zh got
else
	skip "completion" "no bash here"
fi
finish
