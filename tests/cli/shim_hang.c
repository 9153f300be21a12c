// shim_hang.c: preloaded by interrupt.sh: a disk that hangs, and a clock that is moved on.
//
// While there is a file `hang` in the working folder, syncing a file waits for ever, and says so by a file `hanging`.
// Once there is a file `later`, the monotonic clock is half a minute further.
#define _GNU_SOURCE // syscall
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LATER = 31 };

int fsync(int file) {
  while (access("hang", F_OK) == 0) {
    const int told = open("hanging", O_CREAT | O_WRONLY, 0666);
    if (told >= 0) close(told);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  return (int)syscall(SYS_fsync, file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  const int code = (int)syscall(SYS_clock_gettime, clock, now);
  if (code == 0 && clock == CLOCK_MONOTONIC && access("later", F_OK) == 0) now->tv_sec += LATER;
  return code;
}
