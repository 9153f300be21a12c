#!/usr/bin/env bash
# compat.sh: the record of public environments (benchmarks/compat) and its page, without running any.
set -euo pipefail

[ -n "${SFNEC_PYTHON:-}" ] || { echo "skipped: SFNEC_PYTHON is not set"; exit 77; }
export PYTHONPATH="$SFNEC_SOURCE/benchmarks" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
"$SFNEC_PYTHON" "$SFNEC_SOURCE/tests/benchmarks/check_compat.py"
