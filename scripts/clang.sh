#!/bin/sh
# clang.sh BUILD [JOBS]: reads every file of a build by gcc as clang does, with clang's own warnings as errors. clang
# gives its warnings before it makes code, so none is made.
set -eu
build=$1
jobs=${2:-1}

# a command per line, without JSON's escapes; -Wshadow=local is gcc's alone, and what clang's -Wshadow is
sed -n 's/^ *"command": "\(.*\)",*$/\1/p' "$build/compile_commands.json" |
  sed -e 's/\\\(["\\]\)/\1/g' -e 's/^[^ ]* /clang -fsyntax-only -Werror /' -e 's/ -Wshadow=local / -Wshadow /' \
    -e 's/ -o [^ ]* -c / /' >"$build/clang-commands.txt"
[ -s "$build/clang-commands.txt" ] || { echo "clang.sh: $build/compile_commands.json has no commands" >&2; exit 1; }
# the folder of each command is the build's
cd "$build"
xargs -d '\n' -n 1 -P "$jobs" sh -c <clang-commands.txt
