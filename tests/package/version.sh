#!/usr/bin/env bash
# The version stands in CMakeLists.txt alone: the command, the library and the Python package take it from there, the
# packages of npm have none, and the newest section of the changelog is this version's or that of what comes next.
set -euo pipefail
cd "$SFNEC_SOURCE"

[ "$("$SFNEC" --version)" = "sfnec $VERSION" ] || { echo "the command is not $VERSION"; exit 1; }
others=(CMakePresets.json Makefile cmake examples include pyproject.toml python scripts src {web,tests/web}/package.json)
if grep -rnIF --exclude='*.ipynb' -- "$VERSION" "${others[@]}"; then
  echo "the version stands here as well as in CMakeLists.txt"
  exit 1
fi
if grep -n '"version"' web/package.json tests/web/package.json; then
  echo "a package that is never published needs no version"
  exit 1
fi
newest=$(sed -n 's/^## \([^ ]*\).*/\1/p' CHANGELOG.md | head -1)
case $newest in
  "$VERSION" | Unreleased) ;;
  *) echo "the newest section of CHANGELOG.md is $newest, and the version is $VERSION"; exit 1 ;;
esac
