#!/bin/sh
# wheels.sh DIST [ARCH...]: the source archive and the wheels of sfnec (x86_64 and aarch64) in the folder DIST.
#
# The C libraries that a wheel has inside come as source from Debian, with Debian's mends, by an apt of its own in
# build-wheels: the machine's lists stay as they are. zig compiles them and sfnec for glibc 2.17 (cmake/Zig.cmake), and
# auditwheel refuses a wheel that needs more than manylinux2014 has. PYTHON has the packages of scripts/requirements.txt.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-$PWD/.venv-release/bin/python}
mkdir -p "$1" build-wheels
dist=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- x86_64 aarch64
work=$PWD/build-wheels
sources=$work/sources
jobs=${JOBS:-2}

"$python" -c 'import auditwheel, build, ziglang' 2>/dev/null ||
  { echo "wheels: the packages of scripts/requirements.txt are missing: make wheels installs them" >&2; exit 1; }
zig=$("$python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')

# quietly WHAT COMMAND...: what it says is shown only when it fails
quietly() {
  what=$1
  shift
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; echo "wheels: $what failed; see above" >&2; exit 1; }
}

# the machine's own sources of Debian, asked for source packages and for headers of both kinds of processor
fetch_sources() {
  apt=$work/apt
  rm -rf "$apt" "$sources"
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$sources/include" "$sources/licences"
  for type in deb deb-src; do
    apt-get indextargets --format "$type \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" 'Origin: Debian' 'Identifier: Packages'
  done >"$apt/sources.list"
  [ -s "$apt/sources.list" ] || { echo "wheels: apt-get knows no sources of Debian: run apt-get update" >&2; exit 1; }
  cat >"$apt/apt.conf" <<EOF
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Architectures { "amd64"; "arm64"; };
APT::Sandbox::User "";
Acquire::Retries "3";
EOF
  export APT_CONFIG="$apt/apt.conf"
  quietly "apt-get update" apt-get update
  cd "$sources"
  quietly "apt-get source" apt-get source sqlite3 libyaml libzstd xxhash
  headers=$(apt-cache depends libpython3-dev | sed -n 's/.*Depends: \(libpython3\.[0-9]*-dev\)$/\1/p' | head -1)
  quietly "apt-get download" apt-get download librandom123-dev "$headers:amd64" "$headers:arm64"
  unset APT_CONFIG
  for package in *.deb; do
    dpkg-deb -x "$package" unpacked
  done
  cp -R unpacked/usr/include/* include
  mv include/*-linux-gnu include/python3.* # where Python.h looks for what depends on the processor
  cp unpacked/usr/share/doc/librandom123-dev/copyright licences/random123.txt
  cd sqlite3-*/
  quietly "configure of SQLite" sh ./configure --disable-tcl
  quietly "make sqlite3.c" make sqlite3.c
  cd "$work/.."
  rm -rf "$sources/unpacked" "$apt"
  touch "$sources/complete"
}

# $1: the kind of processor
build_libraries() {
  quietly "cmake for the libraries" cmake -S cmake/libraries -B "$work/$1/libraries" -G Ninja \
    --toolchain "$PWD/cmake/Zig.cmake" -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_PREFIX="$work/$1/prefix" -D SOURCES="$sources" \
    -D SFNEC_ZIG="$zig" -D SFNEC_ARCH="$1" -D SFNEC_LIBRARIES="$work/$1/prefix"
  quietly "the build of the libraries" cmake --build "$work/$1/libraries" --parallel "$jobs"
  quietly "the installation of the libraries" cmake --install "$work/$1/libraries"
}

# $1: the kind of processor; from the files of the source archive, which are in $work/source
build_wheel() {
  rm -rf "$work/$1/raw" "$work/$1/named" "$work/$1/build"
  include=$(echo "$work/$1/prefix/include/python3."*)
  quietly "the build of the wheel" env _PYTHON_HOST_PLATFORM="linux-$1" CMAKE_BUILD_PARALLEL_LEVEL="$jobs" \
    CMAKE_ARGS="--toolchain $work/source/cmake/Zig.cmake -DSFNEC_ZIG=$zig -DSFNEC_ARCH=$1 -DSFNEC_LIBRARIES=$work/$1/prefix
      -DPython_INCLUDE_DIR=$include -DSFNEC_WEB=ON -DSFNEC_LICENCES=$work/$1/prefix/licences" \
    "$python" -m build --wheel --no-isolation --outdir "$work/$1/raw" \
    -C build-dir="$work/$1/build" -C install.strip=false "$work/source"
  # it has nothing to copy into the wheel: it checks what the files need, and names the wheel for it
  quietly auditwheel env PATH="$(dirname "$python"):$PATH" "$python" -m auditwheel repair \
    --wheel-dir "$work/$1/named" "$work/$1/raw/"*.whl
  mv "$work/$1/named/"*"manylinux_2_17_$1.whl" "$dist" ||
    { echo "wheels: the one for $1 needs a newer glibc than 2.17: auditwheel show build-wheels/$1/raw/*.whl" >&2; exit 1; }
}

[ -e "$sources/complete" ] || { echo "wheels: fetching the sources of the libraries"; fetch_sources; }
quietly "the source archive" "$python" -m build --sdist --no-isolation --outdir "$dist" .
version=$(sed -n 's/^project(sfnec VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
rm -rf "$work/source"
mkdir "$work/source"
tar -xzf "$dist/sfnec-$version.tar.gz" -C "$work/source" --strip-components 1
for arch in "$@"; do
  echo "wheels: building for $arch"
  build_libraries "$arch"
  build_wheel "$arch"
done
