# Helpers of the program-level tests; each script starts with
#
#	. "$(dirname "$0")/lib.sh"
#
# and ends with `finish`. The program is $WHICHGPU (set by the build). The
# working folder is a fresh one, removed at the end; $ROOT is the source root.
# One case is one line "ok - NAME" or "not ok - NAME", which is what is counted.
# shellcheck shell=sh disable=SC2034
set -u
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
: "${WHICHGPU:?the build sets this to the program}"
WHICHGPU=$(realpath "$WHICHGPU")
SHARED=${WHICHGPU_SHARED:-$ROOT/../shared}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 3
export LC_ALL=C.UTF-8 NO_COLOR=1 COLUMNS=100 TERM=dumb
export XDG_CACHE_HOME="$WORK/.cache" XDG_CONFIG_HOME="$WORK/.config"
unset LANGUAGE
failures=0
status=0

# run ARGUMENTS: output in the files out and err, exit status in $status.
run() {
	status=0
	"$WHICHGPU" "$@" >out 2>err </dev/null || status=$?
}

# check NAME COMMAND: the case passes when the command succeeds.
check() {
	name=$1
	shift
	if "$@" >check.log 2>&1; then
		echo "ok - $name"
		return
	fi
	failures=$((failures + 1))
	echo "not ok - $name"
	echo "  failed: $*  (program's exit status: $status)"
	sed 's/^/  /' check.log
	head -n 20 out err 2>/dev/null | sed 's/^/  /'
}

# exits NAME STATUS ARGUMENTS: runs and checks the exit status.
exits() {
	name=$1
	expected=$2
	shift 2
	run "$@"
	check "$name" [ "$status" -eq "$expected" ]
}

# refused NAME WORDS ARGUMENTS: bad usage or input - exit status 2, nothing on
# standard output, WORDS (a fixed text) in the message.
refused() {
	name=$1
	words=$2
	shift 2
	run "$@"
	check "$name" is_refusal "$words"
}

is_refusal() {
	[ "$status" -eq 2 ] && [ ! -s out ] && grep -qF -- "$1" err
}

skip() { # NAME WHY
	echo "skipped - $1 ($2)"
}

finish() {
	[ "$failures" -eq 0 ]
	exit
}
