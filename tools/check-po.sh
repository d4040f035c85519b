#!/bin/sh
# Is every word in src/ translated, with the same % conversions? One case a
# language.
set -u
cd "$(dirname -- "$0")/.." || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools/update-po.sh "$work/all.pot" || exit 3
failed=0
while read -r language; do
	if msgfmt --check --output-file="$work/out.mo" "po/$language.po" >"$work/log" 2>&1 &&
		msgcmp "po/$language.po" "$work/all.pot" >>"$work/log" 2>&1; then
		echo "ok - po/$language.po is whole"
	else
		echo "not ok - po/$language.po is whole"
		sed 's/^/  /' "$work/log" | head -n 60
		failed=1
	fi
done <po/LINGUAS
exit $failed
