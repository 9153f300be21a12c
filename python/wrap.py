"""wrap.py OUT HEADER...: writes the C source of the extension sfnec._sfnec.

The public headers themselves are what cffi is told to wrap: comments, preprocessor lines and the export mark are taken
out, nothing is listed by hand. A new public function is there after the next build.
"""

import re
import sys
from pathlib import Path

from cffi import FFI


def declarations(header: str) -> str:
    """The C declarations of a header, as cffi's parser reads them."""
    text = re.sub(r"//[^\n]*", "", header)
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*#(.*\\\n)*.*$", "", text, flags=re.MULTILINE)  # a macro may go on after a backslash
    return text.replace("SFNEC_API", "").replace("SFNEC_FROM_PYTHON", 'extern "Python+C"')


def main(out: str, *headers: str) -> None:
    ffi = FFI()
    for path in headers:
        ffi.cdef(declarations(Path(path).read_text(encoding="utf-8")))
    ffi.set_source("sfnec._sfnec", '#include "python.h"\n', py_limited_api=True)
    ffi.emit_c_code(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
