#!/usr/bin/env bash
# The authors' update step by step against a reference of its own, for short and long horizons.
set -euo pipefail

python=${SFNEC_PYTHON:-}
if [ -z "$python" ]; then
  echo "no Python: skipped"
  exit 77
fi
for horizon in 1 3 8; do
  for bootstrap in gpi own; do
    "$python" "$SFNEC_SOURCE/tests/agent/authors.py" "$SFNEC_BUILD/tests/agent/tool_follow" $horizon $bootstrap 3
  done
done
