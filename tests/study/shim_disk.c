// shim_disk.c: preloaded by full_disk.sh: a disk that gets full.
//
// SFNEC_DISK_ROOM bytes can be written to regular files in all; then every write fails with ENOSPC, as on a real disk
// that stays full.
#define _GNU_SOURCE // syscall, pwrite64
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_llong written;

static int is_full(int file, size_t size) {
  const char *room = getenv("SFNEC_DISK_ROOM");
  struct stat there;
  if (!room || fstat(file, &there) || !S_ISREG(there.st_mode)) return 0;
  if (atomic_load(&written) + (long long)size <= atoll(room)) {
    atomic_fetch_add(&written, (long long)size);
    return 0;
  }
  errno = ENOSPC;
  return 1;
}

ssize_t write(int file, const void *bytes, size_t size) {
  return is_full(file, size) ? -1 : syscall(SYS_write, file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  return is_full(file, size) ? -1 : syscall(SYS_pwrite64, file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  return is_full(file, size) ? -1 : syscall(SYS_pwrite64, file, bytes, size, offset);
}
