#!/usr/bin/env bash
# pixels.sh: the benchmark of games seen as pictures (benchmarks/pixels) without an agent or a game: its scores, which
# runs are missing, the processes of the runs, and the tables.
set -euo pipefail

[ -n "${SFNEC_PYTHON:-}" ] || { echo "skipped: SFNEC_PYTHON is not set"; exit 77; }
grep -q '^SFNEC_SANITIZE:[A-Z]*=..*' "$SFNEC_BUILD/CMakeCache.txt" && { echo "skipped: nothing of it is sanitized"; exit 77; }
export PYTHONPATH="$SFNEC_SOURCE/benchmarks" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
"$SFNEC_PYTHON" "$SFNEC_SOURCE/tests/benchmarks/check_pixels.py"
