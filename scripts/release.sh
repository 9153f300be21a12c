#!/bin/sh
# release.sh: the release of the version in CMakeLists.txt, in dist/: source archive, wheels, notes and SHA256SUMS.
#
# Everything is made in a clone of HEAD, and tried: the archive is built without git, and the wheels are installed where
# there is no compiler (tests/package/wheel.sh). Nothing is tagged and nothing is published: that is said at the end.
# JOBS: how many things are compiled at once; PYTHON: with the packages of scripts/requirements.txt.
set -eu
cd "$(dirname "$0")/.."
export PYTHON="${PYTHON:-$PWD/.venv-release/bin/python}"
version=$(sed -n 's/^project(sfnec VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

refuse() {
  echo "release: $1" >&2
  exit 1
}

# what the changelog says about this version
notes() {
  awk -v version="$version" '/^## /{ on = $2 == version; next } on' CHANGELOG.md | sed '/./,$!d'
}

git rev-parse --is-inside-work-tree >/dev/null 2>&1 || refuse "this is not a git repository: a release is made of a commit"
[ -z "$(git status --porcelain)" ] || refuse "there are changes that are not committed: commit them, or git stash -u"
[ -n "$(notes)" ] || refuse "CHANGELOG.md says nothing about $version: name the section '## $version - $(date +%F)'"

dist=$PWD/dist
work=$PWD/build-release
rm -rf "$dist" "$work"
mkdir "$dist"
git clone --quiet . "$work"
cd "$work"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) # the date of every file in the archives
export SOURCE_DATE_EPOCH
sh scripts/wheels.sh "$dist"
archive=$dist/sfnec-$version.tar.gz
notes >"$dist/sfnec-$version.md"

echo "release: building the archive, without git"
mkdir "$work/archive"
tar -xzf "$archive" -C "$work/archive" --strip-components 1
make -C "$work/archive" --no-print-directory SETUP=: JOBS="${JOBS:-2}" all >"$work/archive.log" 2>&1 ||
  { tail -20 "$work/archive.log" >&2; refuse "the archive cannot be built; see above"; }
export SFNEC="$work/archive/build/sfnec" SFNEC_PYTHON="$PYTHON"
[ "$("$SFNEC" --version)" = "sfnec $version" ] || refuse "the archive builds $("$SFNEC" --version), not sfnec $version"
for wheel in "$dist"/*.whl; do
  bash tests/in_temp.sh bash "$work/tests/package/wheel.sh" "$wheel" "$archive" python/tests/test_same.py
done

cd "$dist"
sha256sum -- * >SHA256SUMS
rm -rf "$work"
echo "release: sfnec $version is in dist/:"
cat SHA256SUMS
echo "release: to mark it: git tag -a v$version -F dist/sfnec-$version.md --cleanup=verbatim"
