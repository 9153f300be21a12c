#!/usr/bin/env bash
# Dependencies only go down: a file includes the internal headers of its own layer and of lower ones, nothing else.
# Statistics know nothing but base: they work on plain arrays.
set -euo pipefail

cd "$SFNEC_SOURCE/src"
layers=(base stats simd index memory env agent run study show cli)
bad=0
allowed=sfnec
for layer in "${layers[@]}"; do
  [ -d "$layer" ] || continue
  allowed="$allowed|$layer"
  # a header without a folder would hide its layer, so it is refused too
  wrong=$(grep -rHnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$layer" --include='*.[ch]' |
    grep -vE "\"($allowed)/" || true)
  if [ -n "$wrong" ]; then
    printf 'the layer %s may include only %s:\n%s\n' "$layer" "${allowed//|/, }" "$wrong"
    bad=1
  fi
done

# each folder has its place in the order
for folder in */; do
  case " ${layers[*]} " in
    *" ${folder%/} "*) ;;
    *) echo "src/$folder is no layer that tests/package/layers.sh knows"; bad=1 ;;
  esac
done
exit $bad
