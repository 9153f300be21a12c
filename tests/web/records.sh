#!/usr/bin/env bash
# web/src/records.ts is what the tables of records say.
set -euo pipefail
made=$SFNEC_BUILD/tests/web/tool_records
if ! "$made" | diff "$SFNEC_SOURCE/web/src/records.ts" -; then
  echo "the tables of records have changed; make the page's side again: $made >web/src/records.ts"
  exit 1
fi
