// faults.h: system calls that fail when a test says so.
//
// A program that includes this has its own open, write, fsync, rename and their like before the C library's. While
// faults are on they are counted, and the one of a number fails as a bad disk or a process without descriptors lets it
// fail. Only with glibc: FAULTS says whether. What stdio writes to a file by itself is not seen here; for that,
// file_room lets every file grow so far only.
//
// Included before everything else, because it needs more of the C library's headers than the other tests.
#ifndef SFNEC_TESTS_SUPPORT_FAULTS_H
#define SFNEC_TESTS_SUPPORT_FAULTS_H

#define _GNU_SOURCE // RTLD_NEXT, open64 and their like
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"

#ifdef __GLIBC__
#define FAULTS 1
#else
#define FAULTS 0
#endif

// ---- what a test says and asks ----

static struct {
  bool on;
  int calls;        // seen since faults_begin
  int at;           // the one that fails
  const char *name; // of the function that failed; NULL: none yet
} faults;

// From now on the call of this number fails, from 0 on; all others work.
static inline void faults_begin(int at) {
  faults.on = true;
  faults.calls = 0;
  faults.at = at;
  faults.name = NULL;
}

// No more of it. True if a call was made to fail.
static inline bool faults_end(void) {
  faults.on = false;
  return faults.name != NULL;
}

// Did the failing call have this name?
static inline bool faults_hit(const char *name) {
  return faults.name && strcmp(faults.name, name) == 0;
}

// No file can grow beyond this size any more; -1: as ever.
static inline void file_room(long bytes) {
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes < 0 ? limit.rlim_max : (rlim_t)bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// Descriptors that are open.
static inline int open_descriptors(void) {
  DIR *stream = opendir("/proc/self/fd");
  assert_non_null(stream);
  int count = 0;
  while (readdir(stream)) count++;
  closedir(stream);
  return count;
}

// Files of a folder.
static inline int files_in(const char *folder) {
  DIR *stream = opendir(folder);
  if (!stream) return 0;
  int count = 0;
  for (const struct dirent *entry; (entry = readdir(stream));) count += entry->d_name[0] != '.';
  closedir(stream);
  return count;
}

// A sentence for a person: one line, with words.
static inline void check_sentence(const char *sentence) {
  if (strlen(sentence) < 10 || strchr(sentence, '\n')) fail_msg("no sentence: '%s'", sentence);
}

// ---- the calls ----

#if FAULTS

static bool fails(const char *name, int error) {
  if (!faults.on || faults.calls++ != faults.at) return false;
  faults.name = name;
  errno = error;
  return true;
}

// On a regular file: a folder that cannot be synced is no failure (base/folder.h).
static bool fails_on(int file, const char *name, int error) {
  struct stat facts;
  return faults.on && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && fails(name, error);
}

// The C library's own function, as `real`.
#define REAL(name)                                                                                                     \
  static __typeof__(name) *real;                                                                                       \
  void *const symbol = dlsym(RTLD_NEXT, #name);                                                                        \
  memcpy(&real, &symbol, sizeof real)

// seen by the libraries too
#define SEEN __attribute__((visibility("default")))

#define OPEN(name)                                                                                                     \
  SEEN int name(const char *path, int flags, ...) {                                                                    \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                                                    \
    va_end(rest);                                                                                                      \
    REAL(name);                                                                                                        \
    return fails(#name, EMFILE) ? -1 : real(path, flags, mode);                                                        \
  }

OPEN(open)
OPEN(open64)

SEEN FILE *fopen(const char *path, const char *mode) {
  REAL(fopen);
  return fails("fopen", EMFILE) ? NULL : real(path, mode);
}

SEEN size_t fread(void *bytes, size_t size, size_t count, FILE *stream) {
  REAL(fread);
  return fails("fread", EIO) ? 0 : real(bytes, size, count, stream);
}

SEEN ssize_t write(int file, const void *bytes, size_t size) {
  REAL(write);
  // half of it gets there, as on a disk that gets full
  if (fails_on(file, "write", ENOSPC)) {
    (void)!real(file, bytes, size / 2);
    errno = ENOSPC;
    return -1;
  }
  return real(file, bytes, size);
}

SEEN ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  REAL(pwrite64);
  return fails_on(file, "pwrite", ENOSPC) ? -1 : real(file, bytes, size, offset);
}

// Not EIO, which SQLite takes for a damaged file.
SEEN ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) {
  REAL(pread64);
  return fails_on(file, "pread", ESTALE) ? -1 : real(file, bytes, size, offset);
}

SEEN int ftruncate64(int file, off64_t size) {
  REAL(ftruncate64);
  return fails_on(file, "ftruncate", EIO) ? -1 : real(file, size);
}

SEEN int fsync(int file) {
  REAL(fsync);
  return fails_on(file, "fsync", EIO) ? -1 : real(file);
}

SEEN int fdatasync(int file) {
  REAL(fdatasync);
  return fails_on(file, "fdatasync", EIO) ? -1 : real(file);
}

SEEN int fflush(FILE *stream) {
  REAL(fflush);
  return stream && stream != stdout && stream != stderr && fails("fflush", ENOSPC) ? EOF : real(stream);
}

// Closed in any case, as close is.
SEEN int fclose(FILE *stream) {
  REAL(fclose);
  const bool failed = faults.on && fails_on(fileno(stream), "fclose", EIO);
  const int code = real(stream);
  if (failed) errno = EIO;
  return failed ? EOF : code;
}

SEEN int rename(const char *from, const char *to) {
  REAL(rename);
  return fails("rename", EACCES) ? -1 : real(from, to);
}

SEEN int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  return fails("mkdir", EDQUOT) ? -1 : real(path, mode);
}

#undef OPEN
#undef REAL
#undef SEEN

#endif

#endif
