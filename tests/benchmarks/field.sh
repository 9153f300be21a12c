#!/usr/bin/env bash
# field.sh: the benchmark beside the field (benchmarks/field) without its peers' packages: the table of worlds, the
# judge, resuming a run that was cut, and the page from stored results.
set -euo pipefail

[ -n "${SFNEC_PYTHON:-}" ] || { echo "skipped: SFNEC_PYTHON is not set"; exit 77; }
grep -q '^SFNEC_SANITIZE:[A-Z]*=..*' "$SFNEC_BUILD/CMakeCache.txt" && { echo "skipped: nothing of it is sanitized"; exit 77; }
export PYTHONPATH="$SFNEC_SOURCE/benchmarks" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
"$SFNEC_PYTHON" "$SFNEC_SOURCE/tests/benchmarks/check_field.py"
