#!/usr/bin/env bash
# package.sh: the Python package, from its source archive into a fresh virtual environment, and its own tests there.
#
# Everything is built offline: the archive's own files, this machine's C libraries, and the Python packages that
# SFNEC_PYTHON has. What those lack (see the extra "test" in pyproject.toml) is fetched; without a network the test is
# skipped.
set -euo pipefail

skip() {
  echo "skipped: $1"
  exit 77
}

[ -n "${SFNEC_PYTHON:-}" ] || skip "SFNEC_PYTHON is not set"
# one build by plain gcc is enough: a Python that is not sanitized cannot load what is
grep -q '^SFNEC_SANITIZE:[A-Z]*=..*' "$SFNEC_BUILD/CMakeCache.txt" && skip "this is a build with sanitizers"
header='import os, sysconfig; print(os.path.join(sysconfig.get_paths()["include"], "Python.h"))'
[ -e "$("$SFNEC_PYTHON" -c "$header")" ] || skip "Python.h is not there: install python3-dev"

export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH

# $1: a fresh environment that sees the packages of SFNEC_PYTHON, but none called sfnec
fresh() {
  "$SFNEC_PYTHON" -m venv "$1"
  local packages='import sysconfig; print(sysconfig.get_paths()["purelib"])'
  "$SFNEC_PYTHON" -c "$packages" >"$("$1/bin/python" -c "$packages")/shared.pth"
}

fresh one
needs="scikit-build-core cffi numpy gymnasium==1.4.0 mo-gymnasium==1.3.2 pandas matplotlib h5py minari pytest mypy"
# shellcheck disable=SC2086 # a list of words
one/bin/pip install --quiet $needs >pip.log 2>&1 || skip "the packages of the tests cannot be had: $(tail -1 pip.log)"

echo "== the source archive, and a wheel from its own files"
archive=$(cd "$SFNEC_SOURCE" && "$OLDPWD/one/bin/python" - "$OLDPWD/dist" <<'PYTHON'
import sys
from scikit_build_core.build import build_sdist
print(build_sdist(sys.argv[1]))
PYTHON
)
archive=${archive##*$'\n'}
one/bin/pip install --quiet --no-index --no-deps --no-build-isolation "dist/$archive"
wheel=$(one/bin/python -c 'import sfnec._sfnec as x; print(x.__file__)')
case $wheel in
  "$PWD/one/"*/sfnec/_sfnec.abi3.so) ;;
  *) echo "the extension is $wheel, not an abi3 module of the fresh environment" >&2; exit 1 ;;
esac

echo "== types"
one/bin/python -m mypy --config-file "$SFNEC_SOURCE/pyproject.toml" --cache-dir mypy-cache -p sfnec

echo "== a Gymnasium environment on the ranks of MPI"
if command -v mpirun >/dev/null && ldd "$SFNEC" | grep -q libmpi; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
  printf 'name: s\nenv: gym:CartPole-v1\ntasks: 2\nsteps: 500\nseeds: 1-3\nagents: [sfnec]\n' >s.yaml
  for start in "" "mpirun -n 2"; do
    SFNEC_PYTHON=$PWD/one/bin/python $start "$SFNEC" run s.yaml -o "out$start" --quiet
    "$SFNEC" export "out$start" --csv "out$start.csv"
  done
  cmp out.csv "outmpirun -n 2.csv"
fi

echo "== tests"
one/bin/python -m pytest -q -p no:cacheprovider -c "$SFNEC_SOURCE/pyproject.toml" "$SFNEC_SOURCE/python/tests"
