#!/usr/bin/env bash
# build.sh: builds the targets and their corpora as OSS-Fuzz wants them: CC, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE and OUT
# are its. Needed are cmake, ninja, pkg-config, python3, libxxhash-dev, librandom123-dev, libsqlite3-dev and libyaml-dev.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${OUT:?the folder for the programs}"
engine=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
case ${CXXFLAGS-} in *libc++*) engine="$engine -lc++" ;; esac # the engine is C++, the rest is not
work=${WORK:-$OUT}/sfnec-build

# the machine that runs the programs has none of these libraries: they lie beside them
# shellcheck disable=SC2016 # $ORIGIN is for the loader
cmake -S "$source" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="${CC:-clang}" \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib' -DSFNEC_TESTS=OFF -DSFNEC_MPI=OFF -DSFNEC_WEB=OFF -DSFNEC_FUZZER="$engine"
cmake --build "$work" --target fuzz

mkdir -p "$OUT/lib"
for corpus in "$source"/tests/fuzz/corpus/*; do
  name=fuzz_$(basename "$corpus")
  cp "$work/tests/fuzz/$name" "$OUT/"
  (cd "$corpus" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" ./*)
  ldd "$work/tests/fuzz/$name" | awk '/sqlite3|yaml|xxhash/ {print $3}' | xargs -r cp -Lt "$OUT/lib"
done
