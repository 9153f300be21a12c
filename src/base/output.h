// output.h: what is written as a stream: a file that is whole under its name or not there, and a text in memory.
#ifndef SFNEC_BASE_OUTPUT_H
#define SFNEC_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "sfnec/status.h"

typedef struct sfnec_output {
  FILE *file;
  char *path, *temporary; // temporary NULL: written under its own name, as a pipe, a device or a link must be
} sfnec_output;

// Begins a file; it gets its name when it is closed. Fails with SFNEC_ERROR_IO or _MEMORY. A link is written through:
// only for a path that the user named.
sfnec_status sfnec_output_open(sfnec_output *output, const char *path);
// The same for a file in a folder that may be a stranger's: takes the place of a link, so that no other file is
// emptied.
sfnec_status sfnec_output_open_inside(sfnec_output *output, const char *path);
// Ends it and frees everything: puts the file in its place if `keep` and all of it could be written, else removes it.
// Fails with SFNEC_ERROR_IO. An output that was never opened is fine.
sfnec_status sfnec_output_close(sfnec_output *output, bool keep);

// The same with the error number, or 0, for those who have a sentence of their own: begins a file that always takes the
// place of what has its name, ends it, and frees the paths (also after a failure).
int sfnec_output_begin(sfnec_output *output, const char *path);
int sfnec_output_end(sfnec_output *output, bool keep);
void sfnec_output_clear(sfnec_output *output);

// Ends a stream of open_memstream. True: *text, which the caller frees, is what was written; else *text is NULL. Where
// each byte counts, the return of each fwrite is checked, too: glibc sets no error flag when the text cannot grow.
bool sfnec_output_close_text(FILE *stream, char **text);

#endif
