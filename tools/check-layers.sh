#!/bin/sh
# A file includes only what stands to its left in the order of the layers:
#
#   base < catalog, model < estimate < sim, cost < plan, claims < report
#        < http, tui < cli;  probe and bench use base and catalog only
#
# One case a module. model reads catalog.h for its list of rates.
set -u
cd "$(dirname -- "$0")/.." || exit 3

allowed() {
	to_estimate='base catalog model estimate'
	to_plan="$to_estimate sim cost plan claims"
	case $1 in
	base) echo base ;;
	catalog) echo base catalog ;;
	model) echo base catalog model ;;
	probe | bench) echo base catalog "$1" ;;
	estimate) echo "$to_estimate" ;;
	sim | cost) echo "$to_estimate $1" ;;
	plan | claims) echo "$to_estimate sim cost $1" ;;
	report) echo "$to_plan report" ;;
	http | tui) echo "$to_plan report probe bench $1" ;;
	cli) echo "$to_plan report probe bench http tui cli" ;;
	esac
}

# The module with the name of a public header, or with its .c file, or with the
# first word of its name.
module_named() {
	if [ -d "src/$1" ]; then
		echo "$1"
		return
	fi
	source=$(find src -name "$1.c" | head -n 1)
	if [ -n "$source" ]; then
		basename "$(dirname "$source")"
	else
		echo "${1%%_*}"
	fi
}

# The module of an included file: its folder, or for a public header its name.
module_of() {
	case $1 in
	whichgpu/*) ;;
	*/*)
		echo "${1%%/*}"
		return
		;;
	*) return ;;
	esac
	name=${1#whichgpu/}
	case $name in
	*.def) # a list belongs to the module whose header reads it
		header=$(grep -l "include \"$1\"" include/whichgpu/*.h | head -n 1)
		name=${header##*/}
		;;
	esac
	name=${name%.*}
	case $name in
	limits | range | json) echo base ;;
	price) echo cost ;;
	*) module_named "$name" ;;
	esac
}

# "FILE:LINE INCLUDED" for each include in quotes.
includes() {
	grep -n '^#include "' "$@" /dev/null |
		sed -n 's/^\([^:]*:[0-9]*\):#include "\([^"]*\)".*/\1 \2/p'
}

check_module() { # MODULE FILES...
	module=$1
	shift
	reach=" $(allowed "$module") "
	wrong=$(includes "$@" | while read -r place included; do
		target=$(module_of "$included")
		case $reach in
		*" $target "*) ;;
		*) [ -z "$target" ] || echo "  $place: $module may not include $included ($target)" ;;
		esac
	done)
	if [ "$reach" = '  ' ]; then
		wrong="  src/$module is no layer; add it to tools/check-layers.sh"
	fi
	if [ -z "$wrong" ]; then
		echo "ok - layers: $module"
	else
		echo "not ok - layers: $module"
		echo "$wrong"
		failed=1
	fi
}

failed=0
for folder in src/*/; do
	module=$(basename "$folder")
	# shellcheck disable=SC2046
	set -- $(find "$folder" -name '*.[ch]')
	for header in include/whichgpu/*.h; do
		[ "$(module_of "whichgpu/${header##*/}")" = "$module" ] && set -- "$@" "$header"
	done
	[ $# -eq 0 ] || check_module "$module" "$@"
done
exit $failed
