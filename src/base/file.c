// file.c: values as bytes in checksummed files, written aside and renamed, or in memory; see file.h.
#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/output.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the file format is little-endian; this machine is not"
#endif

enum { MAGIC_SIZE = 8, HEADER_SIZE = 24, LENGTH_AT = 16, CHECKSUM_SIZE = 8 };

// What waits before it is written to a file: few calls, and small enough to stay in the cache.
enum { BUFFER_SIZE = 1 << 18 };

struct sfnec_writer {
  sfnec_output output;   // path NULL: into memory
  unsigned char *buffer; // (BUFFER_SIZE) of a file
  size_t waiting;        // bytes in it
  char *memory;          // else where all of it is, and
  size_t size;           // how much that is
  uint64_t length;       // payload so far
  int error;             // first errno that a write met; 0 = none
  XXH3_state_t *hash;
  unsigned char header[HEADER_SIZE];
  bool sealed; // with header and checksum around the payload
};

struct sfnec_reader {
  char *path; // NULL: in memory
  const char *what;
  unsigned char *owned; // the whole file; NULL in memory
  const unsigned char *bytes;
  uint32_t version;
  size_t at, end; // where the next byte of payload is, where the payload ends
  bool good;
  bool no_memory; // for something that was read: the bytes are not to blame
};

static void writer_free(sfnec_writer *writer) {
  if (!writer) return;
  sfnec_output_clear(&writer->output);
  XXH3_freeState(writer->hash);
  free(writer->buffer);
  free(writer->memory);
  free(writer);
}

static sfnec_status fail_write(const char *path, int error) {
  if (error == ENOMEM || !path) return sfnec_fail_memory("bytes to write");
  return sfnec_fail(SFNEC_ERROR_IO, "cannot write %s: %s", path, strerror(error));
}

// Writes all of the bytes; 0, or errno.
static int write_all(int descriptor, const unsigned char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(descriptor, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    bytes += written;
    size -= (size_t)written;
  }
  return 0;
}

// Hands bytes on and remembers the first failure.
static void put(sfnec_writer *writer, const void *bytes, size_t size) {
  if (writer->error) return;
  if (writer->buffer) writer->error = write_all(fileno(writer->output.file), bytes, size);
  else if (fwrite(bytes, 1, size, writer->output.file) < size) writer->error = ENOMEM;
}

static void flush(sfnec_writer *writer) {
  put(writer, writer->buffer, writer->waiting);
  writer->waiting = 0;
}

// 0, or the error number.
static int open_stream(sfnec_writer *writer, const char *path) {
  if (!path) {
    writer->output.file = open_memstream(&writer->memory, &writer->size);
    return writer->output.file ? 0 : errno;
  }
  writer->buffer = malloc(BUFFER_SIZE);
  return writer->buffer ? sfnec_output_begin(&writer->output, path) : ENOMEM;
}

sfnec_status sfnec_writer_open(const char *path, const char *magic, uint32_t version, sfnec_writer **out) {
  sfnec_writer *writer = calloc(1, sizeof *writer);
  if (writer) writer->hash = XXH3_createState();
  const int error = writer && writer->hash ? open_stream(writer, path) : ENOMEM;
  if (error) {
    writer_free(writer);
    return fail_write(path, error);
  }
  XXH3_64bits_reset(writer->hash);
  writer->sealed = magic != NULL;
  if (magic) {
    // the length is not known yet: the header is written again at the end, and hashed there with the payload's hash
    memcpy(writer->header, magic, MAGIC_SIZE);
    memcpy(writer->header + MAGIC_SIZE, &version, sizeof version);
    put(writer, writer->header, HEADER_SIZE);
  }
  *out = writer;
  return SFNEC_OK;
}

sfnec_status sfnec_writer_open_memory(const char *magic, uint32_t version, sfnec_writer **out) {
  return sfnec_writer_open(NULL, magic, version, out);
}

void sfnec_write_bytes(sfnec_writer *writer, const void *bytes, size_t size) {
  if (writer->error || size == 0) return;
  writer->length += size;
  if (writer->sealed) XXH3_64bits_update(writer->hash, bytes, size);
  if (writer->buffer && size > BUFFER_SIZE - writer->waiting) flush(writer);
  if (!writer->buffer || size > BUFFER_SIZE) {
    put(writer, bytes, size);
    return;
  }
  memcpy(writer->buffer + writer->waiting, bytes, size);
  writer->waiting += size;
}

void sfnec_write_u32(sfnec_writer *writer, uint32_t value) {
  sfnec_write_bytes(writer, &value, sizeof value);
}

void sfnec_write_u64(sfnec_writer *writer, uint64_t value) {
  sfnec_write_bytes(writer, &value, sizeof value);
}

void sfnec_write_i64(sfnec_writer *writer, int64_t value) {
  sfnec_write_bytes(writer, &value, sizeof value);
}

void sfnec_write_f64(sfnec_writer *writer, double value) {
  sfnec_write_bytes(writer, &value, sizeof value);
}

void sfnec_write_text(sfnec_writer *writer, const char *text) {
  const size_t size = strlen(text);
  sfnec_write_u32(writer, (uint32_t)size);
  sfnec_write_bytes(writer, text, size);
}

// The payload's hash is known before the header is final, so the checksum covers (header, payload hash).
static uint64_t seal(const unsigned char header[HEADER_SIZE], uint64_t payload_hash) {
  return XXH3_64bits_withSeed(header, HEADER_SIZE, payload_hash);
}

// Completes the header, and writes the checksum.
static void finish(sfnec_writer *writer) {
  memcpy(writer->header + LENGTH_AT, &writer->length, sizeof writer->length);
  const uint64_t checksum = seal(writer->header, XXH3_64bits_digest(writer->hash));
  put(writer, &checksum, CHECKSUM_SIZE);
}

sfnec_status sfnec_writer_commit(sfnec_writer *writer) {
  flush(writer);
  finish(writer);
  if (!writer->error && lseek(fileno(writer->output.file), 0, SEEK_SET) != 0) writer->error = errno;
  put(writer, writer->header, HEADER_SIZE);
  const int error = sfnec_output_end(&writer->output, !writer->error);
  if (error) writer->error = error;
  const sfnec_status status = writer->error ? fail_write(writer->output.path, writer->error) : SFNEC_OK;
  writer_free(writer);
  return status;
}

sfnec_status sfnec_writer_take(sfnec_writer *writer, unsigned char **bytes, size_t *size) {
  if (writer->sealed) finish(writer);
  const bool whole = sfnec_output_close_text(writer->output.file, &writer->memory) && !writer->error;
  if (whole) {
    if (writer->sealed) memcpy(writer->memory, writer->header, HEADER_SIZE);
    *bytes = (unsigned char *)writer->memory;
    *size = writer->size;
    writer->memory = NULL;
  }
  writer_free(writer);
  return whole ? SFNEC_OK : fail_write(NULL, ENOMEM);
}

void sfnec_writer_abort(sfnec_writer *writer) {
  if (!writer) return;
  (void)sfnec_output_end(&writer->output, false);
  writer_free(writer);
}

sfnec_status sfnec_file_read(const char *path, unsigned char **bytes, size_t *size) {
  sfnec_status status = SFNEC_OK;
  unsigned char *buffer = NULL;
  FILE *stream = fopen(path, "rbe");
  if (!stream && errno == ENOMEM) return sfnec_fail_memory("reading a file");
  if (!stream) return sfnec_fail(SFNEC_ERROR_IO, "cannot open %s: %s", path, strerror(errno));
  struct stat facts;
  if (fstat(fileno(stream), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    status = sfnec_fail(SFNEC_ERROR_IO, "cannot read %s: it is not a regular file", path);
  } else if (!(buffer = malloc((size_t)facts.st_size + 1))) {
    status = sfnec_fail_memory("reading a file");
  } else if (fread(buffer, 1, (size_t)facts.st_size, stream) != (size_t)facts.st_size) {
    status = sfnec_fail(SFNEC_ERROR_IO, "cannot read %s to its end", path);
  }
  fclose(stream);
  if (status) {
    free(buffer);
    return status;
  }
  *bytes = buffer;
  *size = (size_t)facts.st_size;
  return SFNEC_OK;
}

static sfnec_status refuse_version(const char *path, uint32_t found, uint32_t oldest, uint32_t newest) {
  const sfnec_status status = found > newest ? SFNEC_ERROR_VERSION : SFNEC_ERROR_FORMAT;
  char range[32] = "";
  if (oldest < newest) snprintf(range, sizeof range, "s %" PRIu32 " to", oldest);
  return sfnec_fail(status, "%s has format version %" PRIu32 " and this program reads version%s %" PRIu32 "%s", path,
                    found, range, newest, found > newest ? "; use the newer program" : "");
}

static sfnec_status verify(const char *path, const unsigned char *bytes, size_t size, const char *magic,
                           uint32_t oldest, uint32_t newest, const char *what) {
  if (size < MAGIC_SIZE || memcmp(bytes, magic, MAGIC_SIZE) != 0) {
    return sfnec_fail(SFNEC_ERROR_FORMAT, "%s is not %s", path, what);
  }
  if (size < HEADER_SIZE + CHECKSUM_SIZE) {
    return sfnec_fail(SFNEC_ERROR_FORMAT, "%s is truncated: it ends after %zu bytes", path, size);
  }
  uint64_t length, checksum;
  memcpy(&length, bytes + LENGTH_AT, sizeof length);
  const uint64_t held = size - HEADER_SIZE - CHECKSUM_SIZE;
  if (length > held) {
    return sfnec_fail(SFNEC_ERROR_FORMAT, "%s is truncated: %" PRIu64 " of %" PRIu64 " bytes are missing", path,
                      length - held, length);
  }
  memcpy(&checksum, bytes + size - CHECKSUM_SIZE, sizeof checksum);
  if (length < held || checksum != seal(bytes, XXH3_64bits(bytes + HEADER_SIZE, (size_t)held))) {
    return sfnec_fail(SFNEC_ERROR_FORMAT, "%s is corrupted: its checksum does not match its content", path);
  }
  // last, so that a damaged number is no newer version
  uint32_t found;
  memcpy(&found, bytes + MAGIC_SIZE, sizeof found);
  return found >= oldest && found <= newest ? SFNEC_OK : refuse_version(path, found, oldest, newest);
}

// Takes the payload of bytes that are verified, or that are a payload alone.
static sfnec_status make_reader(const unsigned char *bytes, size_t size, bool sealed, const char *what,
                                sfnec_reader **out) {
  sfnec_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return sfnec_fail_memory("bytes to read");
  *reader = (sfnec_reader){.what = what, .bytes = bytes, .end = size, .good = true};
  if (sealed) {
    reader->at = HEADER_SIZE;
    reader->end = size - CHECKSUM_SIZE;
    memcpy(&reader->version, bytes + MAGIC_SIZE, sizeof reader->version);
  }
  *out = reader;
  return SFNEC_OK;
}

sfnec_status sfnec_reader_open_since(const char *path, const char *magic, uint32_t oldest, uint32_t newest,
                                     const char *what, sfnec_reader **out) {
  unsigned char *bytes = NULL;
  size_t size = 0;
  sfnec_reader *reader = NULL;
  sfnec_status status = sfnec_file_read(path, &bytes, &size);
  if (!status) status = verify(path, bytes, size, magic, oldest, newest, what);
  if (!status) status = make_reader(bytes, size, true, what, &reader);
  if (!status && !(reader->path = strdup(path))) status = sfnec_fail_memory("reading a file");
  if (status) {
    free(bytes);
    sfnec_reader_close(reader);
    return status;
  }
  reader->owned = bytes;
  *out = reader;
  return SFNEC_OK;
}

sfnec_status sfnec_reader_open(const char *path, const char *magic, uint32_t version, const char *what,
                               sfnec_reader **out) {
  return sfnec_reader_open_since(path, magic, version, version, what, out);
}

// what the sentences call bytes that have no path
static const char in_memory[] = "a block of memory";

sfnec_status sfnec_reader_open_memory(const void *bytes, size_t size, const char *magic, uint32_t version,
                                      const char *what, sfnec_reader **out) {
  const sfnec_status status = magic ? verify(in_memory, bytes, size, magic, version, version, what) : SFNEC_OK;
  return status ? status : make_reader(bytes, size, magic != NULL, what, out);
}

sfnec_status sfnec_reader_open_memory_since(const void *bytes, size_t size, const char *magic, uint32_t oldest,
                                            uint32_t newest, const char *what, const char *path, sfnec_reader **out) {
  sfnec_reader *reader = NULL;
  sfnec_status status = verify(path, bytes, size, magic, oldest, newest, what);
  if (!status) status = make_reader(bytes, size, true, what, &reader);
  if (!status && !(reader->path = strdup(path))) status = sfnec_fail_memory("reading a file");
  if (status) sfnec_reader_close(reader);
  else *out = reader;
  return status;
}

uint32_t sfnec_reader_version(const sfnec_reader *reader) {
  return reader->version;
}

void sfnec_reader_close(sfnec_reader *reader) {
  if (!reader) return;
  free(reader->owned);
  free(reader->path);
  free(reader);
}

// Nothing is left of a reader that has failed: it stays failed.
static void fail(sfnec_reader *reader) {
  reader->good = false;
  reader->at = reader->end;
}

bool sfnec_reader_holds(sfnec_reader *reader, uint64_t count, size_t size) {
  if (reader->good && (size == 0 || count <= sfnec_reader_left(reader) / size)) return true;
  fail(reader);
  return false;
}

void sfnec_read_bytes(sfnec_reader *reader, void *bytes, size_t size) {
  if (size == 0) return;
  if (!sfnec_reader_holds(reader, size, 1)) {
    memset(bytes, 0, size);
    return;
  }
  memcpy(bytes, reader->bytes + reader->at, size);
  reader->at += size;
}

const unsigned char *sfnec_read_rest(sfnec_reader *reader, size_t *size) {
  const unsigned char *rest = reader->bytes + reader->at;
  *size = sfnec_reader_left(reader);
  reader->at = reader->end;
  return rest;
}

uint32_t sfnec_read_u32(sfnec_reader *reader) {
  uint32_t value;
  sfnec_read_bytes(reader, &value, sizeof value);
  return value;
}

uint64_t sfnec_read_u64(sfnec_reader *reader) {
  uint64_t value;
  sfnec_read_bytes(reader, &value, sizeof value);
  return value;
}

int64_t sfnec_read_i64(sfnec_reader *reader) {
  int64_t value;
  sfnec_read_bytes(reader, &value, sizeof value);
  return value;
}

double sfnec_read_f64(sfnec_reader *reader) {
  double value;
  sfnec_read_bytes(reader, &value, sizeof value);
  return value;
}

void *sfnec_read_alloc(sfnec_reader *reader, size_t count, size_t size) {
  void *elements = calloc(count, size);
  if (!elements) reader->no_memory = true;
  return elements;
}

void *sfnec_read_room(sfnec_reader *reader, uint64_t count, size_t stored, size_t size) {
  if (!sfnec_reader_holds(reader, count, stored)) return NULL;
  return count == 0 ? sfnec_read_alloc(reader, 1, 1) : sfnec_read_alloc(reader, (size_t)count, size);
}

void *sfnec_read_array(sfnec_reader *reader, uint64_t count, size_t size) {
  void *elements = sfnec_read_room(reader, count, size, size);
  if (elements) sfnec_read_bytes(reader, elements, (size_t)count * size);
  return elements;
}

char *sfnec_read_text(sfnec_reader *reader, size_t most) {
  const uint32_t size = sfnec_read_u32(reader);
  if (size > most) fail(reader);
  if (!sfnec_reader_holds(reader, size, 1)) return NULL;
  char *text = sfnec_read_alloc(reader, (size_t)size + 1, 1);
  if (!text) return NULL;
  sfnec_read_bytes(reader, text, size);
  text[size] = '\0';
  return text;
}

size_t sfnec_reader_left(const sfnec_reader *reader) {
  return reader->end - reader->at;
}

bool sfnec_reader_good(const sfnec_reader *reader) {
  return reader->good;
}

bool sfnec_reader_starved(const sfnec_reader *reader) {
  return reader->no_memory;
}

sfnec_status sfnec_reader_refuse(const sfnec_reader *reader, const char *why) {
  if (reader->no_memory) return sfnec_fail_memory(reader->what);
  return sfnec_fail(SFNEC_ERROR_FORMAT, "%s is not %s that this program can have written: %s",
                    reader->path ? reader->path : in_memory, reader->what, why);
}
