#!/usr/bin/env bash
# The statistics against SciPy and NumPy, on random data with ties and few runs.
set -euo pipefail

if [ -z "${SFNEC_PYTHON:-}" ] || ! "$SFNEC_PYTHON" -c 'import numpy, scipy' 2>/dev/null; then
  echo "no Python with the packages of tests/requirements.txt: skipped"
  exit 77
fi
exec "$SFNEC_PYTHON" "$SFNEC_SOURCE/tests/stats/reference.py" "$SFNEC_BUILD/tests/stats/tool_stats"
