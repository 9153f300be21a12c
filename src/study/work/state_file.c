// state_file.c: the last state of a finished job in one compressed file; see state_file.h.
//
// Payload: u32, how it is packed; then the bytes of the run (run/whole.h) by zstd, or as they are where zstd gains too
// much to be believed by a reader. Before zstd the bytes are sorted by their place in a word of four, block by block:
// most of a state is floats, whose high bytes are alike and whose low bytes are not (keys of four rooms: 0.65 of their
// size, by zstd alone 0.81).
#include "study/work/state_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "run/whole.h"

static const char magic[] = "SFNECZST", what[] = "the state of a job";
enum { VERSION = 1, PLAIN = 0, ZSTD = 1, LEVEL = 3, BLOCK = 1 << 16, WORD = 4 };

// A frame must not unpack to more than this: what a stranger claims decides how much memory is asked for.
static uint64_t most_bytes(size_t packed) {
  enum { RATIO = 64, SLACK = 1 << 20 };
  return (uint64_t)packed * RATIO + SLACK;
}

static char *path_of(const char *folder, const char *ending) {
  const size_t room = strlen(folder) + strlen(ending) + 1;
  char *path = malloc(room);
  if (path) snprintf(path, room, "%s%s", folder, ending);
  return path;
}

// ---- words of four ----

// first bytes, second bytes, ...; what is left of a block that is no multiple of four stays at its end
static void split(const unsigned char *block, size_t size, unsigned char *out) {
  const size_t words = size / WORD;
  for (size_t i = 0; i < words; i++)
    for (size_t k = 0; k < WORD; k++) out[k * words + i] = block[i * WORD + k];
  memcpy(out + words * WORD, block + words * WORD, size % WORD);
}

static void join(const unsigned char *block, size_t size, unsigned char *out) {
  const size_t words = size / WORD;
  for (size_t i = 0; i < words; i++)
    for (size_t k = 0; k < WORD; k++) out[i * WORD + k] = block[k * words + i];
  memcpy(out + words * WORD, block + words * WORD, size % WORD);
}

// ---- writing ----

// One block through zstd into the file; the bytes that came out are counted.
static bool pack_block(ZSTD_CCtx *context, const unsigned char *block, size_t size, bool last, sfnec_writer *writer,
                       size_t *packed) {
  unsigned char out[BLOCK];
  ZSTD_inBuffer input = {block, size, 0};
  for (;;) {
    ZSTD_outBuffer output = {out, sizeof out, 0};
    const size_t left = ZSTD_compressStream2(context, &output, &input, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) return false;
    sfnec_write_bytes(writer, out, output.pos);
    *packed += output.pos;
    if (last ? left == 0 : input.pos == input.size) return true;
  }
}

static bool pack(const unsigned char *bytes, size_t size, sfnec_writer *writer, size_t *packed) {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  bool good = context && !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL)) &&
              !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, size));
  unsigned char block[BLOCK];
  for (size_t at = 0; good && at < size; at += BLOCK) {
    const size_t length = size - at < BLOCK ? size - at : BLOCK;
    split(bytes + at, length, block);
    good = pack_block(context, block, length, at + length == size, writer, packed);
  }
  ZSTD_freeCCtx(context);
  return good;
}

// `fits` says whether a reader will believe it.
static sfnec_status write_as(uint32_t how, const char *path, const unsigned char *bytes, size_t size, bool *fits) {
  sfnec_writer *writer;
  const sfnec_status status = sfnec_writer_open(path, magic, VERSION, &writer);
  if (status) return status;
  sfnec_write_u32(writer, how);
  size_t packed = 0;
  const bool good = how == PLAIN || pack(bytes, size, writer, &packed);
  if (how == PLAIN) sfnec_write_bytes(writer, bytes, size);
  *fits = how == PLAIN || size <= most_bytes(packed);
  if (good && *fits) return sfnec_writer_commit(writer);
  sfnec_writer_abort(writer);
  return good ? SFNEC_OK : sfnec_fail_memory("packing a state");
}

sfnec_status sfnec_state_write(const char *folder, const char *label, const sfnec_run *run) {
  unsigned char *bytes = NULL;
  size_t size = 0;
  char *path = path_of(folder, ".state");
  sfnec_status status = path ? sfnec_run_to_bytes(run, label, &bytes, &size) : sfnec_fail_memory("a path");
  bool fits = false;
  if (!status) status = write_as(ZSTD, path, bytes, size, &fits);
  if (!status && !fits) status = write_as(PLAIN, path, bytes, size, &fits);
  free(bytes);
  free(path);
  return status;
}

// ---- reading ----

static sfnec_status unpack(sfnec_reader *reader, unsigned char **out, size_t *size) {
  size_t packed;
  const unsigned char *frame = sfnec_read_rest(reader, &packed);
  const unsigned long long claimed = ZSTD_getFrameContentSize(frame, packed);
  if (claimed == ZSTD_CONTENTSIZE_UNKNOWN || claimed == ZSTD_CONTENTSIZE_ERROR || claimed == 0 ||
      ZSTD_findFrameCompressedSize(frame, packed) != packed)
    return sfnec_reader_refuse(reader, "it is not packed as it says");
  if (claimed > most_bytes(packed) || claimed > SIZE_MAX) {
    return sfnec_reader_refuse(reader, "it claims to be many times larger than it is");
  }
  // at most RATIO times the bytes that are there
  unsigned char *bytes = sfnec_read_alloc(reader, (size_t)claimed, 1), block[BLOCK];
  if (!bytes) return sfnec_fail_memory("a state");
  if (ZSTD_decompress(bytes, (size_t)claimed, frame, packed) != claimed) {
    free(bytes);
    return sfnec_reader_refuse(reader, "it is not packed as it says");
  }
  *out = bytes;
  *size = (size_t)claimed;
  for (size_t at = 0; at < *size; at += BLOCK) {
    const size_t length = *size - at < BLOCK ? *size - at : BLOCK;
    memcpy(block, bytes + at, length);
    join(block, length, bytes + at);
  }
  return SFNEC_OK;
}

sfnec_status sfnec_state_unpack(sfnec_reader *reader, unsigned char **owned, const unsigned char **bytes,
                                size_t *size) {
  *owned = NULL;
  const uint32_t how = sfnec_read_u32(reader);
  if (how == PLAIN) {
    *bytes = sfnec_read_rest(reader, size);
    return SFNEC_OK;
  }
  if (how != ZSTD) return sfnec_reader_refuse(reader, "it is packed in an unknown way");
  const sfnec_status status = unpack(reader, owned, size);
  *bytes = *owned;
  return status;
}

static sfnec_status read_from(const char *path, const char *label, sfnec_env *env, const sfnec_run_options *options,
                              sfnec_agent **agent, sfnec_run **out) {
  sfnec_reader *reader;
  unsigned char *owned;
  const unsigned char *bytes = NULL;
  size_t size = 0;
  sfnec_status status = sfnec_reader_open(path, magic, VERSION, what, &reader);
  if (status) return status;
  status = sfnec_state_unpack(reader, &owned, &bytes, &size);
  if (!status) status = sfnec_run_from_bytes(bytes, size, path, label, env, options, agent, out);
  free(owned);
  sfnec_reader_close(reader);
  return status;
}

sfnec_status sfnec_state_read(const char *folder, const char *label, sfnec_env *env, const sfnec_run_options *options,
                              sfnec_agent **agent, sfnec_run **out) {
  *agent = NULL;
  *out = NULL;
  char *path = path_of(folder, ".state");
  if (!path) return sfnec_fail_memory("a path");
  // what may not be looked at is there: opening it will say why it cannot be
  const bool missing = access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
  const sfnec_status status = missing ? SFNEC_OK : read_from(path, label, env, options, agent, out);
  free(path);
  return status;
}

// ---- both places ----

int64_t sfnec_state_get_bytes(const char *folder) {
  char *path = path_of(folder, ".state");
  struct stat facts;
  const bool there = path && stat(path, &facts) == 0;
  free(path);
  return sfnec_run_get_saved_bytes(folder) + (there ? (int64_t)facts.st_size : 0);
}

sfnec_status sfnec_state_discard(const char *folder) {
  char *path = path_of(folder, ".state");
  if (!path) return sfnec_fail_memory("a path");
  sfnec_status status = SFNEC_OK;
  if (unlink(path) != 0 && errno != ENOENT)
    status = sfnec_fail(SFNEC_ERROR_IO, "cannot remove %s: %s", path, strerror(errno));
  free(path);
  return status ? status : sfnec_run_discard(folder);
}

sfnec_status sfnec_state_put_aside(const char *folder) {
  char *path = path_of(folder, ".state"), *aside = path_of(folder, ".state.damaged");
  sfnec_status status = path && aside ? SFNEC_OK : sfnec_fail_memory("a path");
  if (!status && rename(path, aside) != 0 && errno != ENOENT)
    status = sfnec_fail(SFNEC_ERROR_IO, "cannot rename %s: %s", path, strerror(errno));
  free(path);
  free(aside);
  return status;
}
