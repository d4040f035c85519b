#!/bin/sh
# Words in another language: which one is chosen, on a machine with no locale of
# it, and that numbers and keys never change.
. "$(dirname "$0")/lib.sh"

if ! command -v msgfmt >/dev/null; then
	skip "languages" "no msgfmt here"
	finish
fi
mkdir -p words/zh_CN/LC_MESSAGES
cat >zh.po <<'END'
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

msgid "Usage:"
msgstr "用法："

msgid "unknown command \"%s\""
msgstr "没有命令“%s”"
END
msgfmt -o words/zh_CN/LC_MESSAGES/whichgpu.mo zh.po
export WHICHGPU_LOCALE_DIR="$WORK/words"
unset LC_ALL LC_MESSAGES LANG LANGUAGE || true

speaks() { # WORD ARGUMENTS...
	word=$1
	shift
	"$WHICHGPU" "$@" >out 2>err
	grep -q "$word" out
}
complains() {
	word=$1
	shift
	"$WHICHGPU" "$@" >out 2>err && return 1
	grep -q "$word" err
}

check "no locale is English" speaks '^Usage:'
check "--lang zh before the command" speaks '^用法：' --lang zh
check "--lang zh after the command" speaks '^用法：' completion --help --lang zh
check "--lang=zh" speaks '^用法：' completion --help --lang=zh
check "an error before any parsing" complains '没有命令“nope”' --lang zh nope
LANG=zh_CN.UTF-8
export LANG
check "LANG chooses" speaks '^用法：'
check "--lang en wins over LANG" speaks '^Usage:' --lang en
LC_ALL=C
export LC_ALL
check "LC_ALL wins over LANG" speaks '^Usage:'
LC_ALL=C.UTF-8
LANGUAGE=zh
export LANGUAGE
check "LANGUAGE wins over LC_ALL" speaks '^用法：'
LANGUAGE=de:zh_CN
check "the first language of LANGUAGE counts" speaks '^Usage:'
unset LC_ALL LANGUAGE
LANG=de_DE.UTF-8
check "a language there is no list of words for" speaks '^Usage:'

# de_DE writes 3,17; the program does not
numbers_are_plain() {
	LC_ALL=de_DE.UTF-8 "$WHICHGPU" compare a100-sxm-80gb h100-sxm --lang zh --json >a.json
	LC_ALL=C "$WHICHGPU" compare a100-sxm-80gb h100-sxm --json >b.json
	cmp a.json b.json
}
check "JSON is the same in every language" numbers_are_plain
finish
