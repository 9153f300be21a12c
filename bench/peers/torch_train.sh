#!/bin/bash
# torch_train.sh: a training step of a learned embedding beside PyTorch's: the same memories, the same minibatch shape,
# one thread. Needs python3 with venv and the network for the first run; not part of make check.
#
#   bench/peers/torch_train.sh [arguments of sfnec-bench train]
#
# BENCH: the program (build/sfnec-bench); WORK: where the environment and the arrays go (build/peers); PYTHON: a python
# that has torch and numpy already.
set -euo pipefail

cd "$(dirname "$0")/../.."
bench=${BENCH:-build/sfnec-bench}
work=${WORK:-build/peers}
python=${PYTHON:-$work/torch/bin/python}

if [ ! -x "$bench" ]; then
  echo "torch_train.sh: $bench is not there: run make first" >&2
  exit 1
fi

mkdir -p "$work/train"
if [ ! -x "$python" ]; then
  python3 -m venv "$work/torch"
  "$python" -m pip install --quiet --disable-pip-version-check numpy torch
fi

# libraries that start threads of their own are held to one
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

"$bench" train "$@" --dump "$work/train" --json "$work/train/ours.json"
"$python" bench/peers/torch_train.py "$work/train"
