#!/usr/bin/env bash
# Dependencies only go down: a file includes the headers of its own layer and of lower ones, nothing else. That holds for
# the public headers too: each belongs to a layer. Statistics know nothing but base: they work on plain arrays.
set -euo pipefail

cd "$SFNEC_SOURCE/src"
layers=(base stats simd net index memory env agent run
  study/spec study/plan study/store study/analysis study/work
  show/theme show/play show/export show/plot show/report cli)

# the public headers, by the layer that implements them
declare -A public=(
  [base]='export|options|random|status'
  [env]='env|plugin'
  [agent]='agent|reward|diagnosis'
  [run]='run|sfnec'
)

bad=0
allowed=
headers=
for layer in "${layers[@]}"; do
  [ -d "$layer" ] || continue
  allowed="${allowed:+$allowed|}$layer"
  headers="$headers${public[$layer]:+${headers:+|}${public[$layer]}}"
  # a header without a folder would hide its layer, so it is refused too
  wrong=$(grep -rHnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$layer" --include='*.[ch]' |
    grep -vE "\"($allowed)/|\"sfnec/($headers)\.h\"" || true)
  if [ -n "$wrong" ]; then
    printf 'the layer %s may include only %s, and sfnec/{%s}.h:\n%s\n' "$layer" "${allowed//|/, }" "${headers//|/,}" "$wrong"
    bad=1
  fi
done

# each file has its place in the order, and so has each public header
lost=$(find . -name '*.[ch]' | sed 's|^\./||' | grep -vE "^($allowed)/" || true)
if [ -n "$lost" ]; then
  printf 'no layer that tests/package/layers.sh knows has these:\n%s\n' "$lost"
  bad=1
fi
for header in ../include/sfnec/*.h; do
  case "|$headers|" in
    *"|$(basename "$header" .h)|"*) ;;
    *) echo "include/sfnec/$(basename "$header") has no layer in tests/package/layers.sh"; bad=1 ;;
  esac
done
exit $bad
