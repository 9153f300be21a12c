#!/usr/bin/env bash
# wheel.sh WHEEL ARCHIVE [TEST...]: a wheel in a bare Debian that has Python and nothing to compile with: it is installed in
# a fresh virtual environment, its agents are those of SFNEC to the byte, its page is there, and the tests of the source
# archive pass (all of python/tests, or those named).
#
# The bare Debian is a folder that is entered by proot; one of another architecture runs by QEMU. Neither needs root nor
# changes the machine. SFNEC is a command built by this machine's compiler, SFNEC_PYTHON a Python that has pip.
set -euo pipefail
wheel=$1 archive=$2
shift 2
: "${SFNEC:?set SFNEC to the command}" "${SFNEC_PYTHON:?set SFNEC_PYTHON to a Python}"

emulator=()
case $wheel in
  *x86_64.whl) arch=x86_64 debian=amd64 ;;
  *aarch64.whl) arch=aarch64 debian=arm64 ;;
  *) echo "$wheel is not a wheel that is built here"; exit 1 ;;
esac
[ "$(uname -m)" = $arch ] || emulator=(-q "qemu-$arch")

echo "== $(basename "$wheel")"
# extracted, not installed: that needs no program of the other architecture to run; NumPy needs the library of C++
mmdebstrap --quiet --variant=extract --architectures=$debian --include=python3,python3-venv,libstdc++6 bookworm root.tar
mkdir root
tar -xf root.tar -C root --exclude='./dev/*'
mkdir root/wheels root/project
cp "$wheel" root/wheels
tar -xzf "$archive" -C root/project --strip-components 1
python=$(basename root/usr/bin/python3.[0-9]*[0-9])
platforms=()
for glibc in 17 27 28 34; do
  platforms+=(--platform "manylinux_2_${glibc}_$arch")
done
"$SFNEC_PYTHON" -m pip download --quiet --disable-pip-version-check --dest root/wheels --only-binary=:all: \
  --python-version "${python#python}" --platform "manylinux2014_$arch" "${platforms[@]}" \
  --constraint root/project/tests/requirements.txt "$wheel[test]"

# $...: a command in there, with nothing of this machine's environment
inside() {
  env -i PATH=/venv/bin:/usr/bin:/bin HOME=/tmp PYTHONDONTWRITEBYTECODE=1 \
    proot "${emulator[@]}" -r root -b /proc -b /dev -w /tmp "$@"
}

inside "/usr/bin/$python" -c 'import shutil, sys; sys.exit(any(map(shutil.which, ("cc", "c99", "gcc", "clang"))))' ||
  { echo "there is a compiler in the bare Debian"; exit 1; }
inside "/usr/bin/$python" -m venv /venv
inside /venv/bin/pip install --quiet --no-index --no-compile --find-links /wheels "sfnec[test]"
inside /venv/bin/sfnec --version

echo "== agents, to the byte"
agents=(sfnec sfnec-plus sfnec-plan nec sfql ql sfnec-authors)
for agent in "${agents[@]}"; do
  words=(train --agent "$agent" --tasks 2 --steps 1000 --seed 3 --quiet --save)
  "$SFNEC" "${words[@]}" here.sfnec
  inside /venv/bin/sfnec "${words[@]}" /tmp/there.sfnec
  cmp here.sfnec root/tmp/there.sfnec
done
echo "${#agents[@]} agents are the same"

echo "== the page"
printf 'name: s\nenv: four_rooms\ntasks: 1\nsteps: 100\nseeds: 1-2\nagents: [sfnec, ql]\n' >root/tmp/s.yaml
inside /venv/bin/sfnec run s.yaml -o s --quiet
inside /venv/bin/sfnec report s
grep -q '</html>' root/tmp/s/report.html

echo "== tests"
[ $# -gt 0 ] || set -- python/tests
inside /venv/bin/python -m pytest -q -p no:cacheprovider -c /project/pyproject.toml "${@/#//project/}"
