#!/bin/sh
# setup.sh GROUP...: installs the Debian packages that the groups (build, test, docs, lint, fuzz, field, slurm,
# valgrind, playground, release) need and that are missing.
#
# Silent when nothing is missing. A tool that was installed in another way counts as there. Where packages cannot be
# installed, it says what is needed and goes on if the tools are found: the build then names the library that it lacks.
set -eu

# package=command for tools, package alone for libraries
build="gcc=gcc libc6-dev cmake=cmake ninja-build=ninja pkg-config=pkg-config libxxhash-dev librandom123-dev
  libsqlite3-dev libyaml-dev libzstd-dev libcairo2-dev gnuplot-nox=gnuplot nodejs=node npm=npm"
tests="libcmocka-dev clang=clang libopenmpi-dev openmpi-bin=mpirun python3=python3 python3-venv python3-dev sqlite3=sqlite3
  chromium=chromium ffmpeg=ffmpeg tmux=tmux fonts-dejavu-core"
docs="python3=python3 python3-venv mandoc=mandoc"
lint="clang-format=clang-format clang-tidy=clang-tidy cppcheck=cppcheck mandoc=mandoc"
# the runtimes of libFuzzer and of clang's sanitizers belong to one version of clang
clang=$(clang -dumpversion 2>/dev/null || true)
clang=${clang%%.*}
fuzz="clang=clang libclang-rt-${clang:-14}-dev"
# pycddlib, which morl-baselines needs, is compiled
field="python3=python3 python3-venv python3-dev libgmp-dev"
slurm="munge=munged slurmctld=slurmctld slurmd=slurmd slurm-client=sbatch"
# SQLite's source is made one file by tcl; the rest unpacks sources, and runs wheels in a bare Debian
release="python3=python3 python3-venv tcl=tclsh dpkg-dev=dpkg-source mmdebstrap=mmdebstrap proot=proot
  qemu-user=qemu-aarch64 git=git"
# Debian's daemons are not in every user's path
PATH=$PATH:/usr/sbin

wanted=$build
purpose=build
for group in "$@"; do
  case $group in
    build) ;;
    test) wanted="$wanted $tests" purpose="build and test" ;;
    docs) wanted="$wanted $docs" purpose="$purpose and document" ;;
    lint) wanted="$wanted $lint" purpose="build and check" ;;
    fuzz) wanted="$wanted $fuzz" purpose="build and fuzz" ;;
    field) wanted="$wanted $field" purpose="build and compare" ;;
    slurm) wanted="$wanted $slurm" purpose="build and run a cluster with" ;;
    playground) wanted="$wanted emscripten=emcc" purpose="$purpose the playground of" ;;
    release) wanted="$wanted $release" purpose="build and release" ;;
    valgrind) wanted="$wanted valgrind=valgrind" purpose="$purpose under valgrind" ;;
    *)
      echo "setup.sh: unknown group '$group': it is build, test, docs, lint, fuzz, field, slurm, valgrind, playground or release" >&2
      exit 2
      ;;
  esac
done

packages=
libraries=
missing=
missing_tools=
for item in $wanted; do
  package=${item%%=*}
  packages="$packages $package"
  case $item in
    *=*)
      tool=${item#*=}
      command -v "$tool" >/dev/null || missing="$missing $package" missing_tools="$missing_tools $tool"
      ;;
    *) libraries="$libraries $package" ;;
  esac
done

# one sentence, and on if the tools are there
cannot_install() {
  echo "setup: $1; needed are (Debian's names):$packages" >&2
  [ -z "$missing_tools" ] || { echo "setup: not found:$missing_tools" >&2; exit 1; }
  exit 0
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  cannot_install "there is no apt-get to install packages with"
fi

# shellcheck disable=SC2086 # a list of words
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $libraries 2>/dev/null || true)
for package in $libraries; do
  case "
$installed
" in
    *"
installed $package
"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || cannot_install "missing:$missing, and only root can install them (there is no sudo)"
  as_root=sudo
fi

echo "setup: installing$missing with apt-get, needed to $purpose sfnec"
apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}
# The log is shown only when something failed. An update that fails may be about a source that is not needed here, so
# the installation has the last word.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! { apt update || true; apt install -y --no-install-recommends $missing; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "setup: apt-get could not install$missing; see above" >&2
  exit 1
fi
