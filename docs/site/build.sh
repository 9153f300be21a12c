#!/bin/sh
# build.sh FOLDER PYTHON: builds the documentation site in FOLDER/site, with a Python that has the packages of
# requirements.txt, and checks its links. The films are those in FOLDER/films; SFNEC_PLAYGROUND names the playground's page.
# Ends with status 77 where npm cannot have the packages of package.json.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/packages"
folder=$(cd "$1" && pwd)
python=$2

if ! cmp -s "$here/package-lock.json" "$folder/packages/installed.json"; then
  cp "$here/package.json" "$here/package-lock.json" "$folder/packages"
  if ! (cd "$folder/packages" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 >npm.log 2>&1); then
    echo "docs: npm cannot have the packages of docs/site/package.json" >&2
    exit 77
  fi
  cp "$here/package-lock.json" "$folder/packages/installed.json"
fi

# the theme warns of MkDocs 2, which requirements.txt keeps away
export NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1
export SFNEC_SITE="$folder/site" SFNEC_FILMS="$folder/films" SFNEC_PACKAGES="$folder/packages"
# --quiet would hide the warnings from --strict
if ! "$python" -m mkdocs build --strict --config-file "$here/../../mkdocs.yml" >"$folder/mkdocs.log" 2>&1; then
  cat "$folder/mkdocs.log" >&2
  exit 1
fi
"$python" "$here/check.py" "$folder/site"
