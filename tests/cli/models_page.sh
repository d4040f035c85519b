#!/bin/sh
# docs/models.md is what tools/models-table prints, so that the page can not
# fall behind the program. The second table needs the published configs.
. "$(dirname "$0")/lib.sh"

if [ -d "$SHARED/models" ]; then
	"$ROOT/tools/models-table" "$WHICHGPU" "$SHARED/models" >page
else
	"$ROOT/tools/models-table" "$WHICHGPU" >page
fi
check "docs/models.md is up to date" diff "$ROOT/docs/models.md" page
finish
