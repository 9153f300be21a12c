#!/usr/bin/env bash
# in_temp.sh COMMAND...: runs a test in a fresh folder and removes the folder afterwards.
set -euo pipefail

folder=$(mktemp -d "${TMPDIR:-/tmp}/sfnec-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$@"
