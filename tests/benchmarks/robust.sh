#!/usr/bin/env bash
# robust.sh: the benchmark of noise and irrelevant components (benchmarks/robust) without an agent: its disturbances,
# the deep sea, and the table.
set -euo pipefail

[ -n "${SFNEC_PYTHON:-}" ] || { echo "skipped: SFNEC_PYTHON is not set"; exit 77; }
grep -q '^SFNEC_SANITIZE:[A-Z]*=..*' "$SFNEC_BUILD/CMakeCache.txt" && { echo "skipped: nothing of it is sanitized"; exit 77; }
export PYTHONPATH="$SFNEC_SOURCE/benchmarks" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
"$SFNEC_PYTHON" "$SFNEC_SOURCE/tests/benchmarks/check_robust.py"
