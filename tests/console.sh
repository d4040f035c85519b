#!/bin/sh
# Runs the examples of a document and compares what they print.
#
#   console.sh PROGRAM FILE...
#
# In a .md file the blocks marked ```console are read, any other file is one
# block. A line "$ whichgpu ARGUMENTS" is run, in the root of the sources with
# no terminal, and "$ ./run ARGUMENTS" likewise, but for "./run test". What
# follows up to the next "$" line is what it must print on both outputs, a line
# "[N]" at the end the exit status if not 0. A line "..." stands for any lines.
# Other commands are not run.
#
# WHICHGPU_UPDATE=1 writes what was printed into the file instead: as many lines
# as there were where "..." is the last of them, none where it stands earlier.
set -eu
program=$(realpath "$1")
shift
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/whichgpu"
PATH="$work/bin:$PATH"
LC_ALL=C.UTF-8
NO_COLOR=1
COLUMNS=100
TERM=dumb
XDG_CACHE_HOME="$work/cache"
XDG_CONFIG_HOME="$work/config"
export PATH LC_ALL NO_COLOR COLUMNS TERM XDG_CACHE_HOME XDG_CONFIG_HOME
unset LANGUAGE || true

# Splits a file into parts NNNN.text, or NNNN.command with NNNN.expected.
# shellcheck disable=SC2016
split='
function next_part(kind) {
	if (file) close(file)
	part = sprintf("%s/%04d", out, ++n)
	file = part "." kind
}
function runs(line) {
	return line ~ /^\$ (whichgpu|\.\/run)( |$)/ && line !~ /^\$ \.\/run test( |$)/
}
BEGIN { next_part("text"); inside = !markdown }
markdown && /^```/ {
	inside = !inside && $0 == "```console"
	next_part("text")
	print > file
	next
}
inside && runs($0) {
	next_part("command")
	print > file
	close(file)
	print FNR > (part ".line")
	close(part ".line")
	file = part ".expected"
	printf "" > file
	next
}
inside && (/^\$ / || /^#/) && file ~ /expected$/ { next_part("text") }
{ print > file }
'

# Compares two files; "..." in the first stands for any number of lines.
# shellcheck disable=SC2016
compare='
NR == FNR { want[++wants] = $0; next }
{ got[++gots] = $0 }
function matches(w, g,   rest) {
	for (; w <= wants; w++) {
		if (want[w] == "...") {
			for (rest = g; rest <= gots + 1; rest++)
				if (matches(w + 1, rest))
					return 1
			return 0
		}
		if (g > gots || want[w] != got[g++])
			return 0
	}
	return g == gots + 1
}
END { exit !matches(1, 1) }
'

# Puts what was printed in place of what was expected, if it can be done.
update_part() { # PART
	shown=$(sed '$d' "$1.expected" | wc -l)
	if ! grep -qx '\.\.\.' "$1.expected"; then
		cp "$1.got" "$1.expected"
	elif [ "$(grep -nx '\.\.\.' "$1.expected")" = "$((shown + 1)):..." ]; then
		head -n "$shown" "$1.got" >"$1.expected"
		echo ... >>"$1.expected"
	else
		return 1
	fi
}

failed=0
run_part() { # FILE PART
	command=$(sed 's/^\$ //; s/^\.\/run/whichgpu/' "$2.command")
	status=0
	(cd "$root" && sh -c "$command") >"$2.got" 2>&1 </dev/null || status=$?
	if [ "$status" -ne 0 ]; then
		echo "[$status]" >>"$2.got"
	fi
	if awk "$compare" "$2.expected" "$2.got"; then
		echo "ok - $1:$(cat "$2.line") $command"
		return
	fi
	if [ -n "${WHICHGPU_UPDATE:-}" ] && update_part "$2"; then
		echo "updated - $1:$(cat "$2.line") $command"
		return
	fi
	failed=1
	echo "not ok - $1:$(cat "$2.line") $command"
	diff -u "$2.expected" "$2.got" || true
}

for file in "$@"; do
	parts="$work/parts"
	rm -rf "$parts"
	mkdir "$parts"
	markdown=0
	case "$file" in *.md) markdown=1 ;; esac
	awk -v out="$parts" -v markdown=$markdown "$split" "$file"
	for command in "$parts"/*.command; do
		[ -e "$command" ] || continue
		run_part "${file#"$root"/}" "${command%.command}"
	done
	if [ -n "${WHICHGPU_UPDATE:-}" ]; then
		for part in "$parts"/*.text "$parts"/*.command; do
			[ -e "$part" ] && echo "$part"
		done | sort | while read -r part; do
			cat "$part"
			case "$part" in *.command) cat "${part%.command}.expected" ;; esac
		done >"$work/new"
		cmp -s "$work/new" "$file" || cp "$work/new" "$file"
	fi
done
exit $failed
