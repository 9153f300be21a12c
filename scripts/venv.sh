#!/bin/sh
# venv.sh FOLDER REQUIREMENTS: a Python virtual environment with the packages of a requirements file.
#
# Silent when it is up to date. Where the packages cannot be had, it says so and removes what is half done: the tests
# that need them are then skipped.
set -eu
folder=$1
requirements=$2

cmp -s "$requirements" "$folder/installed.txt" && exit 0
echo "setup: installing the packages of $requirements in $folder"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rm -rf "$folder"
# the newest python that Debian brings; one that is first in the path for other reasons may lack the venv module
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
if { "$python" -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"; } \
  >"$log" 2>&1; then
  cp "$requirements" "$folder/installed.txt"
else
  tail -5 "$log" >&2
  rm -rf "$folder"
  echo "setup: the packages of $requirements could not be installed; tests that need them are skipped" >&2
fi
