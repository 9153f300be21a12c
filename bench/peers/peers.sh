#!/bin/bash
# peers.sh: our look-ups beside those of FAISS, hnswlib and scikit-learn: the same memories, the same queries, one
# thread. Needs python3 with venv and the network for the first run; not part of make check.
#
#   bench/peers/peers.sh [TASKS...]        default: 1 10 50
#
# BENCH: the program (build/sfnec-bench); WORK: where the environment and the arrays go (build/peers);
# SKIP: methods to leave out, separated by commas, as the table names them up to the first blank.
set -euo pipefail

cd "$(dirname "$0")/../.."
bench=${BENCH:-build/sfnec-bench}
work=${WORK:-build/peers}
tasks=("$@")
if [ ${#tasks[@]} -eq 0 ]; then tasks=(1 10 50); fi

if [ ! -x "$bench" ]; then
  echo "peers.sh: $bench is not there: run make first" >&2
  exit 1
fi

mkdir -p "$work"
if [ ! -x "$work/venv/bin/python" ]; then python3 -m venv "$work/venv"; fi
"$work/venv/bin/pip" install --quiet --disable-pip-version-check numpy faiss-cpu hnswlib scikit-learn

# libraries that start threads of their own are held to one
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

for t in "${tasks[@]}"; do
  mkdir -p "$work/$t"
  "$bench" memory --tasks "$t" --dump "$work/$t" --json "$work/$t/ours.json" >/dev/null
  "$work/venv/bin/python" bench/peers/peers.py "$work/$t" --skip "${SKIP:-}"
done
