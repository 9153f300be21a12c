#!/usr/bin/env bash
# cartpole against Gymnasium's CartPole-v1 over 20,000 steps, to 1e-6. Skipped without a Python that has the package.
set -euo pipefail

[ -n "${SFNEC_PYTHON:-}" ] || { echo "skipped: SFNEC_PYTHON is not set"; exit 77; }
"$SFNEC_PYTHON" -c 'import gymnasium' 2>/dev/null || { echo "skipped: $SFNEC_PYTHON has no gymnasium"; exit 77; }

export PYTHONDONTWRITEBYTECODE=1 PYGAME_HIDE_SUPPORT_PROMPT=1
"$SFNEC_BUILD/tests/env/tool_trace" cartpole 20000 1 >trace
"$SFNEC_PYTHON" "$SFNEC_SOURCE/tests/env/parity_cartpole.py" <trace
