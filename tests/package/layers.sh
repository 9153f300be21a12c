#!/usr/bin/env bash
# Dependencies only go down: a file includes the headers of its own layer and of lower ones, nothing else. That holds for
# the public headers too: each belongs to a layer. Statistics know nothing
# but base: they work on plain arrays.
set -euo pipefail

cd "$SFNEC_SOURCE/src"
layers=(base stats simd index memory env agent run study show cli)

# the public headers, by the layer that implements them
declare -A public=(
  [base]='export|options|random|status'
  [env]='env'
  [agent]='agent'
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

# each folder has its place in the order, and so has each public header
for folder in */; do
  case " ${layers[*]} " in
    *" ${folder%/} "*) ;;
    *) echo "src/$folder is no layer that tests/package/layers.sh knows"; bad=1 ;;
  esac
done
for header in ../include/sfnec/*.h; do
  case "|$headers|" in
    *"|$(basename "$header" .h)|"*) ;;
    *) echo "include/sfnec/$(basename "$header") has no layer in tests/package/layers.sh"; bad=1 ;;
  esac
done
exit $bad
