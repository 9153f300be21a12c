// lock.c: at most one process at a time on a folder, by a file lock that a crash releases.
//
// POSIX record locks work over NFS too, but they belong to the process and the file: two takers in one process do not
// see each other, and closing any descriptor of the file drops the lock. So the locks of this process are in a list,
// and a file in the list is never opened a second time. The list is the one mutable global of the library, as the thing
// that it mirrors is one too. The file stays when the lock is released: removing it would let two processes lock two
// files.
#include "study/store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

struct sfnec_lock {
  int file;
  dev_t device;
  ino_t node;
  char holder[SFNEC_LOCK_HOLDER];
  sfnec_lock *next;
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static sfnec_lock *ours;

static const sfnec_lock *find_ours(const struct stat *facts) {
  for (const sfnec_lock *lock = ours; lock; lock = lock->next)
    if (lock->device == facts->st_dev && lock->node == facts->st_ino) return lock;
  return NULL;
}

static char *lock_path(const char *folder) {
  char *path = malloc(strlen(folder) + sizeof "/lock");
  if (path) sprintf(path, "%s/lock", folder);
  return path;
}

// what the holder wrote into the file
static void read_holder(int file, char holder[SFNEC_LOCK_HOLDER]) {
  const ssize_t size = pread(file, holder, SFNEC_LOCK_HOLDER - 1, 0);
  holder[size > 0 ? size : 0] = '\0';
  holder[strcspn(holder, "\n")] = '\0';
  sfnec_text_clean(holder);
  // it may not have come to writing yet
  if (!holder[0]) strcpy(holder, "an unknown process");
}

static sfnec_status refuse(const char *folder, const char *holder) {
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "another process is running the experiment in %s (%s); wait for it, stop it, or choose another "
                    "folder",
                    folder, holder);
}

// is the file of this name in the folder the one that is locked?
static bool is_there(const char *path, dev_t device, ino_t node) {
  struct stat facts;
  return lstat(path, &facts) == 0 && facts.st_dev == device && facts.st_ino == node;
}

sfnec_status sfnec_lock_check(const sfnec_lock *lock, const char *folder) {
  char *path = lock_path(folder);
  if (!path) return sfnec_fail_memory("the lock of a folder");
  const bool there = is_there(path, lock->device, lock->node);
  free(path);
  if (there) return SFNEC_OK;
  return sfnec_fail(
      SFNEC_ERROR_STATE,
      "the file lock in %s was removed while the experiment ran, so another process may be running it too; "
      "nothing more is written, the same command resumes",
      folder);
}

static sfnec_status fail_io(const char *path, int error) {
  if (error == ENOLCK || error == ENOTSUP || error == EINVAL || error == ENOSYS)
    return sfnec_fail(SFNEC_ERROR_IO,
                      "cannot lock %s: %s; its file system has no locks, choose a folder on another one", path,
                      strerror(error));
  return sfnec_fail(SFNEC_ERROR_IO, "cannot write %s: %s; choose a folder that can be written", path, strerror(error));
}

static void write_holder(sfnec_lock *lock) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const int size = snprintf(lock->holder, sizeof lock->holder, "%s, process %ld", host, (long)getpid());
  // the text is only for messages, so a full disk does not matter here
  if (ftruncate(lock->file, 0) == 0) (void)!pwrite(lock->file, lock->holder, (size_t)size, 0);
}

// with the guard held; `lock` is empty
static sfnec_status take(const char *folder, const char *path, sfnec_lock *lock) {
  struct stat facts;
  const sfnec_lock *other = stat(path, &facts) == 0 ? find_ours(&facts) : NULL;
  if (other) return refuse(folder, other->holder);

  lock->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (lock->file < 0) return fail_io(path, errno);
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(lock->file, F_SETLK, &whole) != 0) {
    const int error = errno;
    if (error != EACCES && error != EAGAIN) return fail_io(path, error);
    char holder[SFNEC_LOCK_HOLDER];
    read_holder(lock->file, holder);
    return refuse(folder, holder);
  }
  if (fstat(lock->file, &facts) != 0) return fail_io(path, errno);
  // a file that was removed while it was being locked locks nothing
  if (!is_there(path, facts.st_dev, facts.st_ino))
    return sfnec_fail(SFNEC_ERROR_STATE, "%s was removed while it was taken; run the same command again", path);
  lock->device = facts.st_dev;
  lock->node = facts.st_ino;
  write_holder(lock);
  lock->next = ours;
  ours = lock;
  return SFNEC_OK;
}

sfnec_status sfnec_lock_take(const char *folder, sfnec_lock **out) {
  char *path = lock_path(folder);
  sfnec_lock *lock = calloc(1, sizeof *lock);
  sfnec_status status;
  if (!path || !lock) {
    status = sfnec_fail_memory("the lock of a folder");
  } else {
    lock->file = -1;
    pthread_mutex_lock(&guard);
    status = take(folder, path, lock);
    if (status && lock->file >= 0) close(lock->file);
    pthread_mutex_unlock(&guard);
  }
  free(path);
  if (status) free(lock);
  else *out = lock;
  return status;
}

void sfnec_lock_release(sfnec_lock *lock) {
  if (!lock) return;
  pthread_mutex_lock(&guard);
  for (sfnec_lock **at = &ours; *at; at = &(*at)->next) {
    if (*at != lock) continue;
    *at = lock->next;
    break;
  }
  (void)!ftruncate(lock->file, 0);
  close(lock->file);
  pthread_mutex_unlock(&guard);
  free(lock);
}

bool sfnec_lock_held(const char *folder, char holder[SFNEC_LOCK_HOLDER]) {
  holder[0] = '\0';
  char *path = lock_path(folder);
  if (!path) return false;
  bool held = false;
  struct stat facts;
  pthread_mutex_lock(&guard);
  if (stat(path, &facts) == 0) {
    const sfnec_lock *own = find_ours(&facts);
    const int file = own ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    held = own || (file >= 0 && fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK);
    if (own) strcpy(holder, own->holder);
    else if (held) read_holder(file, holder);
    if (file >= 0) close(file);
  }
  pthread_mutex_unlock(&guard);
  free(path);
  return held;
}
