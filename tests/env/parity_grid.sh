#!/usr/bin/env bash
# four_rooms_grid against MO-Gymnasium's four-room-v0 over 100,000 steps, exactly.
# Skipped without a Python that has the package.
set -euo pipefail

[ -n "${SFNEC_PYTHON:-}" ] || { echo "skipped: SFNEC_PYTHON is not set"; exit 77; }
"$SFNEC_PYTHON" -c 'import mo_gymnasium' 2>/dev/null || { echo "skipped: $SFNEC_PYTHON has no mo_gymnasium"; exit 77; }

export PYTHONDONTWRITEBYTECODE=1 PYGAME_HIDE_SUPPORT_PROMPT=1
"$SFNEC_BUILD/tests/env/tool_trace" four_rooms_grid 100000 1 observation=coordinates >trace
"$SFNEC_PYTHON" "$SFNEC_SOURCE/tests/env/parity_grid.py" <trace
