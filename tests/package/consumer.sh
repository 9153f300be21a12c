#!/usr/bin/env bash
# An outside project: installs sfnec into a folder, moves the folder, and builds and runs tests/package/main.c against
# it, by CMake's find_package (both libraries) and by the plain compiler with pkg-config (both again).
set -euo pipefail
unset DESTDIR

"$CMAKE" --install "$SFNEC_BUILD" --prefix "$PWD/installed" >install.log
mv installed prefix
prefix=$PWD/prefix
source=$SFNEC_SOURCE/tests/package
[[ "$("$prefix/bin/sfnec" --version)" == *"$VERSION"* ]] || { echo "the installed command is not $VERSION"; exit 1; }

echo "== find_package"
"$CMAKE" -S "$source" -B cmake-build -G "$GENERATOR" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
  -DSFNEC_WANTED="$VERSION" >configure.log || { cat configure.log; exit 1; }
"$CMAKE" --build cmake-build
./cmake-build/consumer_shared
./cmake-build/consumer_static

echo "== pkg-config"
export PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig
pc() { "$PKG_CONFIG" "$@"; }
[ "$(pc --modversion sfnec)" = "$VERSION" ]
warnings="-std=c11 -Wall -Wextra -Wpedantic -Werror"
# shellcheck disable=SC2086,SC2046 # flags are words on purpose
"$CC" $CFLAGS $warnings "$source/main.c" -o plain_shared $(pc --cflags --libs sfnec) -Wl,-rpath,"$prefix/$LIBDIR"
static=$(pc --cflags --libs --static sfnec | sed 's/-lsfnec/-l:libsfnec.a/')
# shellcheck disable=SC2086
"$CC" $CFLAGS $warnings "$source/main.c" -o plain_static $static
./plain_shared
./plain_static

# one library is inside, the other one beside; before 1.0 each minor version is another interface
library=libsfnec.so.${VERSION%.*}
needs() { readelf -d "$1" | grep -qF "[$library]"; }
needs plain_shared || { echo "plain_shared does not use $library"; exit 1; }
if needs plain_static; then echo "plain_static uses $library"; exit 1; fi

echo "== a plugin, from the folder that new-env writes"
"$prefix/bin/sfnec" new-env maze
"$CMAKE" -S maze -B maze/build -G "$GENERATOR" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" \
  -DCMAKE_PREFIX_PATH="$prefix" >configure.log || { cat configure.log; exit 1; }
"$CMAKE" --build maze/build
(cd maze/build && LD_LIBRARY_PATH=$prefix/$LIBDIR ctest --output-on-failure)
"$prefix/bin/sfnec" run maze/maze.yaml --quick --quiet

echo "== what the template says: another world in its file needs no other change, by CMake or by one line"
# a third action, a feature by a function of math.h, and a world that nobody draws
sed -i -e 's/enum { LEFT, RIGHT, ACTIONS }/enum { LEFT, RIGHT, STAY, ACTIONS }/' \
  -e 's/action_names\[\] = {"left", "right"}/action_names[] = {"left", "right", "stay"}/' \
  -e 's/  c->cell += .*/  if (action != STAY) c->cell += (action == RIGHT) != slipped ? 1 : -1;/' \
  -e 's/features\[STEP\] = 1/features[STEP] = pow(0.5 + 0.5 * cos((double)c->cell), 2)/' \
  -e '/^    \.\(look\|observe_at\|locate\) = /d' maze/maze.c
grep -q 'STAY, ACTIONS' maze/maze.c && grep -q 'action != STAY' maze/maze.c && grep -q 'pow(0.5' maze/maze.c
"$CMAKE" --build maze/build
(cd maze/build && LD_LIBRARY_PATH=$prefix/$LIBDIR ctest --output-on-failure)
"$prefix/bin/sfnec" run maze/maze.yaml --quick --quiet -o changed
# shellcheck disable=SC2086,SC2046
"$CC" -std=c11 -O2 -shared -fPIC $(pc --cflags sfnec) maze/maze.c -o maze.so -lm
"$prefix/bin/sfnec" list envs --env ./maze.so | grep -q 'actions: left, right, stay'
