# Compiler settings for everything in this project.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_definitions(_POSIX_C_SOURCE=200809L)

# The same seed gives the same bytes: products and sums are fused only where the source says fma, nothing is tuned to
# the machine that builds, and fast-math stays out. Dropping errno changes no result, and makes sqrt one instruction.
add_compile_options(-ffp-contract=off -fno-math-errno)

# calls between exported functions inside the library cannot be replaced from outside, so they may be inlined
if(NOT EMSCRIPTEN)
  add_compile_options(-fno-semantic-interposition)
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
                    -Wpointer-arith -Wwrite-strings -Wundef -Wvla -Wformat-security)
# a variable may be named as its type, so gcc looks at local names only; clang's own rule is that already
add_compile_options($<IF:$<C_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow>)
if(SFNEC_WERROR)
  add_compile_options(-Werror)
endif()

if(SFNEC_SANITIZE)
  set(sanitizer_flags -fsanitize=${SFNEC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options(${sanitizer_flags})
  add_link_options(${sanitizer_flags})
endif()
