#!/bin/sh
# films.sh FOLDER SFNEC [NAME]: makes the films of films.txt in a folder, by the command SFNEC; NAME: only that one. What is
# newer than both the command and films.txt is left as it is.
set -eu
mkdir -p "$1"
table=$(cd "$(dirname "$0")" && pwd)/films.txt
sfnec=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
wanted=${3:-}
cd "$1"

sfnec() { "$sfnec" "$@" >/dev/null; }
name=
grep -v '^#' "$table" | while IFS= read -r line; do
  case $line in
    "") name= ;;
    "sfnec "*) [ "$skip" ] || eval "$line" </dev/null ;;
    *)
      [ -z "$name" ] || continue # what is seen
      name=$line skip=
      [ -z "$wanted" ] || [ "$name" = "$wanted" ] || skip=yes
      ! { [ "$name.gif" -nt "$table" ] && [ "$name.gif" -nt "$sfnec" ]; } || skip=yes
      ;;
  esac
done
