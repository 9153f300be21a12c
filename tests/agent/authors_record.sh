#!/usr/bin/env bash
# The preset sfnec-authors against what the authors' own program computed for the same transitions.
set -euo pipefail

python=${SFNEC_PYTHON:-}
if [ -z "$python" ]; then
  echo "no Python: skipped"
  exit 77
fi
"$python" "$SFNEC_SOURCE/tests/agent/authors_record.py" "$SFNEC_BUILD/tests/agent/tool_follow" "$SFNEC_SOURCE/tests/agent/authors-604.npz"
