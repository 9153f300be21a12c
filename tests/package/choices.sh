#!/usr/bin/env bash
# A choice of one option given to another: C compilers warn (-Wenum-conversion), C++ does not compile it.
set -euo pipefail

# try COMPILER FLAGS CHOICE: compiles a program that sets psi
try() {
  printf '#include <sfnec/sfnec.h>\nint main(void) {\n  sfnec_agent_options o;\n  sfnec_agent_options_default(&o);\n  o.psi = %s;\n  return o.psi == SFNEC_PSI_LINEAR;\n}\n' "$3" >choice.c
  # shellcheck disable=SC2086 # flags are words on purpose
  "$1" -x $2 -I"$SFNEC_SOURCE/include" -fsyntax-only choice.c 2>said
}

# refused COMPILER FLAGS: the right choice compiles, the wrong one does not, and because of its type
refused() {
  try "$1" "$2" SFNEC_PSI_LINEAR || { cat said; echo "$1 refuses the right choice"; exit 1; }
  if try "$1" "$2" SFNEC_GPI_FULL; then echo "$1 takes a choice of another option"; exit 1; fi
  grep -qE 'enum-conversion|invalid conversion|cannot convert|incompatible type' said || { cat said; exit 1; }
}

refused "$CC" "c -std=c11 -Wextra -Wenum-conversion -Werror"
if command -v c++ >/dev/null; then refused c++ "c++ -std=c++17"; fi
