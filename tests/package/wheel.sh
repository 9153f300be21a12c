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
mkdir root wheels project tmp
tar -xf root.tar -C root --exclude='./dev/*'
tar -xzf "$archive" -C project --strip-components 1
cp "$wheel" wheels
python=$(basename root/usr/bin/python3.[0-9]*[0-9])
platforms=()
for glibc in 17 27 28 34; do
  platforms+=(--platform "manylinux_2_${glibc}_$arch")
done
"$SFNEC_PYTHON" -m pip download --quiet --disable-pip-version-check --dest wheels --only-binary=:all: \
  --python-version "${python#python}" --platform "manylinux2014_$arch" "${platforms[@]}" \
  --constraint project/tests/requirements.txt "$wheel[test]"

# $...: a command in there, with nothing of this machine's environment. This folder has the same path inside and outside:
# QEMU asks by faccessat2 whether a file can be run, a system call that PRoot 5.1 passes on with the path as it is
inside() {
  env -i PATH="$PWD/venv/bin:/usr/bin:/bin" HOME="$PWD/tmp" TMPDIR="$PWD/tmp" PYTHONDONTWRITEBYTECODE=1 \
    proot "${emulator[@]}" -r root -b /proc -b /dev -b "$PWD" -w "$PWD" "$@"
}

inside "/usr/bin/$python" -c 'import shutil, sys; sys.exit(any(map(shutil.which, ("cc", "c99", "gcc", "clang"))))' ||
  { echo "there is a compiler in the bare Debian"; exit 1; }
inside "/usr/bin/$python" -m venv venv
inside "$PWD/venv/bin/pip" install --quiet --no-index --no-compile --find-links wheels "sfnec[test]"
# tests are skipped where there is no command, so it has to be there
command=$(inside "$PWD/venv/bin/python" -c 'import platform, sfnec; assert platform.machine() == "'$arch'"; print(sfnec.command())')
[ "$command" = "$PWD/venv/bin/sfnec" ] || { echo "the wheel's command is $command"; exit 1; }

echo "== agents, to the byte"
agents=(sfnec sfnec-plus sfnec-plan nec sfql ql sfnec-authors)
for agent in "${agents[@]}"; do
  words=(train --agent "$agent" --tasks 2 --steps 1000 --seed 3 --quiet --save)
  "$SFNEC" "${words[@]}" here.sfnec
  inside "$command" "${words[@]}" there.sfnec
  cmp here.sfnec there.sfnec
done
echo "${#agents[@]} agents are the same"

echo "== the page"
printf 'name: s\nenv: four_rooms\ntasks: 1\nsteps: 100\nseeds: 1-2\nagents: [sfnec, ql]\n' >s.yaml
inside "$command" run s.yaml -o s --quiet
inside "$command" report s
grep -q '</html>' s/report.html

echo "== tests"
[ $# -gt 0 ] || set -- python/tests
# an emulator cannot stop a run within a second, which is what this one is about
slow=()
[ ${#emulator[@]} -eq 0 ] || slow=(--deselect project/python/tests/test_errors.py::test_ctrl_c_stops_within_a_second)
inside "$PWD/venv/bin/python" -m pytest -q -p no:cacheprovider -c project/pyproject.toml "${slow[@]}" "${@/#/project/}"
