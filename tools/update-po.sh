#!/bin/sh
# update-po.sh [POT]: brings po/*.po up to date with the words in src/, marked
# with _() and N_() or standing in the columns of the lists named below; with
# POT, only writes the template there. Words that have gone are dropped, near
# matches are never guessed.
set -eu
cd "$(dirname -- "$0")/.."
template=${1:-$(mktemp)}
find src include -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort |
	xargs xgettext --language=C --from-code=UTF-8 --keyword=_ --keyword=N_ \
		--keyword=WG_MEMORY_TERM:3 --keyword=WG_TIME_TERM:3 --keyword=WG_WEIGHT_FORMAT:7 \
		--keyword=WG_GPU_FIGURE:4 --keyword=WG_GPU_FACT:3 --keyword=WG_RATE:3 \
		--keyword=WG_STATUS:2 --keyword=WG_REFUSAL:3 \
		--add-comments=TRANSLATORS --package-name=whichgpu --no-location --sort-output \
		--output="$template" 2>"$template.log" || {
	cat "$template.log" >&2
	exit 1
}
rm -f "$template.log"
# The date of the template would change the files at every run.
sed -i -e '/^"POT-Creation-Date:/d' -e 's/charset=CHARSET/charset=UTF-8/' "$template"
[ $# -eq 0 ] || exit 0
while read -r language; do
	msgmerge --quiet --update --backup=none --no-fuzzy-matching --sort-output \
		"po/$language.po" "$template"
	msgattrib --no-obsolete --sort-output -o "po/$language.po" "po/$language.po"
done <po/LINGUAS
rm -f "$template"
