// file.h: values as bytes, written to a file or into memory and read back from either.
//
// A file is either whole or not there. Layout: 8 bytes of magic, u32 version, u32 zero, u64 length of the payload, the
// payload, u64 checksum (XXH3 of the header, seeded with the XXH3 of the payload). Numbers are little-endian. A writer
// works under a temporary name in the same folder; commit syncs and renames it, so a crash or a full disk leaves the
// older file alone. A reader checks length and checksum of the whole file before the first byte of the payload is
// handed out. In memory the same bytes stand as they would in the file, or the payload alone, for messages.
#ifndef SFNEC_BASE_FILE_H
#define SFNEC_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/status.h"

typedef struct sfnec_writer sfnec_writer;
typedef struct sfnec_reader sfnec_reader;

// `magic` has 8 characters. Fails with SFNEC_ERROR_IO or SFNEC_ERROR_MEMORY.
sfnec_status sfnec_writer_open(const char *path, const char *magic, uint32_t version, sfnec_writer **out);
// A writer into memory, which sfnec_writer_take ends. `magic` NULL: the payload alone. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_writer_open_memory(const char *magic, uint32_t version, sfnec_writer **out);

// A failed write is remembered and reported by commit or take; later writes do nothing.
void sfnec_write_bytes(sfnec_writer *writer, const void *bytes, size_t size);
void sfnec_write_u32(sfnec_writer *writer, uint32_t value);
void sfnec_write_u64(sfnec_writer *writer, uint64_t value);
void sfnec_write_i64(sfnec_writer *writer, int64_t value);
void sfnec_write_f64(sfnec_writer *writer, double value);
void sfnec_write_text(sfnec_writer *writer, const char *text); // u32 length, then the bytes

// Finishes, syncs and renames the file, and frees the writer in every case.
sfnec_status sfnec_writer_commit(sfnec_writer *writer);
// Hands out what was written into memory (the caller frees it), and frees the writer in every case. Fails with
// SFNEC_ERROR_MEMORY.
sfnec_status sfnec_writer_take(sfnec_writer *writer, unsigned char **bytes, size_t *size);
// Removes the temporary file and frees the writer; NULL is fine.
void sfnec_writer_abort(sfnec_writer *writer);

// The bytes of a whole regular file of any content, which the caller frees. Fails with SFNEC_ERROR_IO or _MEMORY.
sfnec_status sfnec_file_read(const char *path, unsigned char **bytes, size_t *size);

// Reads and verifies a whole file; `what` says what the file should be ("an agent file") for the error sentence.
// Fails with SFNEC_ERROR_IO, _FORMAT or _MEMORY.
sfnec_status sfnec_reader_open(const char *path, const char *magic, uint32_t version, const char *what,
                               sfnec_reader **out);
// The same for a file in any version from `oldest` to `newest`; sfnec_reader_version says which.
sfnec_status sfnec_reader_open_since(const char *path, const char *magic, uint32_t oldest, uint32_t newest,
                                     const char *what, sfnec_reader **out);
// The same for bytes in memory, which are borrowed until the reader is closed. `magic` NULL: a payload alone.
sfnec_status sfnec_reader_open_memory(const void *bytes, size_t size, const char *magic, uint32_t version,
                                      const char *what, sfnec_reader **out);
// Bytes of an unpacked file, of which sentences speak as `path`; any version from `oldest` to `newest`.
sfnec_status sfnec_reader_open_memory_since(const void *bytes, size_t size, const char *magic, uint32_t oldest,
                                            uint32_t newest, const char *what, const char *path, sfnec_reader **out);
uint32_t sfnec_reader_version(const sfnec_reader *reader); // 0 for a payload alone
void sfnec_reader_close(sfnec_reader *reader);             // NULL is fine

// Reading past the end gives zeros, and the reader has failed: from then on everything read is zero and nothing is
// left, so that no later check is passed by bytes that stand in another place. A loop over elements ends when its
// reader has failed (sfnec_reader_good), whatever count the file claims.
void sfnec_read_bytes(sfnec_reader *reader, void *bytes, size_t size);
// All bytes that are left, which stay the reader's.
const unsigned char *sfnec_read_rest(sfnec_reader *reader, size_t *size);
uint32_t sfnec_read_u32(sfnec_reader *reader);
uint64_t sfnec_read_u64(sfnec_reader *reader);
int64_t sfnec_read_i64(sfnec_reader *reader);
double sfnec_read_f64(sfnec_reader *reader);
// A text of at most `most` bytes into a new string that the caller frees; NULL if there is none or no memory.
char *sfnec_read_text(sfnec_reader *reader, size_t most);

// Bytes of payload not yet read: the bound for every count that a file claims.
size_t sfnec_reader_left(const sfnec_reader *reader);
// False once anything was read past the end.
bool sfnec_reader_good(const sfnec_reader *reader);

// ---- memory for what a file claims: the only calls by which a load path may allocate (tests/package/load_paths.sh)
// ----

// Are there bytes for `count` elements of `size` bytes each? If not, the reader has failed.
bool sfnec_reader_holds(sfnec_reader *reader, uint64_t count, size_t size);
// Zeroed memory for `count` elements, each of at least `stored` > 0 bytes in the file and of `size` in memory; never
// NULL for want of elements. NULL if the file does not hold so many, and then the reader has failed, or without memory.
void *sfnec_read_room(sfnec_reader *reader, uint64_t count, size_t stored, size_t size);
// The same for elements that the file has as they are in memory, and reads them.
void *sfnec_read_array(sfnec_reader *reader, uint64_t count, size_t size);
// Zeroed memory beside that: for what follows from elements that were read already, and is not in the file.
void *sfnec_read_alloc(sfnec_reader *reader, size_t count, size_t size);

// Was there no memory for something that was read?
bool sfnec_reader_starved(const sfnec_reader *reader);
// The status for content that the checksum accepts and the program does not: names the file. Nothing else may call a
// file bad, because what is called bad is put away.
sfnec_status sfnec_reader_refuse(const sfnec_reader *reader, const char *why);

#endif
