#!/usr/bin/env bash
# build.sh: builds the targets and their corpora as OSS-Fuzz wants them: CC, CFLAGS, LIB_FUZZING_ENGINE and OUT are its.
# Needed are cmake, ninja, pkg-config, libxxhash-dev, librandom123-dev, libsqlite3-dev and libyaml-dev.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${OUT:?the folder for the programs}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}"
work=${WORK:-$OUT}/build

cmake -S "$source" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="${CC:-clang}" \
  -DSFNEC_TESTS=OFF -DSFNEC_MPI=OFF -DSFNEC_FUZZER="$LIB_FUZZING_ENGINE"
cmake --build "$work" --target fuzz
for program in "$work"/tests/fuzz/fuzz_*; do
  [ -x "$program" ] && [ -f "$program" ] || continue
  name=$(basename "$program")
  cp "$program" "$OUT/"
  (cd "$source/tests/fuzz/corpus/${name#fuzz_}" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" ./*)
done
