// plot_gnuplot.c: runs gnuplot on a script, in the script's folder, and says what it said when it failed.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "show/plot/plot_parts.h"

enum { WORDS = 2048, NOT_FOUND = 127 };

// only calls that are safe between fork and exec, as other threads of the program may hold locks
static void become_gnuplot(const char *folder, const char *script, int words) {
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0) _exit(NOT_FOUND - 1);
  if (dup2(words, STDERR_FILENO) < 0 || chdir(folder) != 0) _exit(NOT_FOUND - 1);
  // -d: without the user's own settings, which would change the picture
  execlp("gnuplot", "gnuplot", "-d", script, (char *)NULL);
  _exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
}

// reads all, keeps the first part
static void listen(int from, char words[WORDS]) {
  size_t used = 0;
  char rest[512] = "";
  for (;;) {
    const bool full = used + 1 >= WORDS;
    const ssize_t got = read(from, full ? rest : words + used, full ? sizeof rest : WORDS - 1 - used);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (!full) used += (size_t)got;
  }
  words[used] = '\0';
}

// the line that says what is wrong: gnuplot shows the place first, then "file" line 7: the error
static const char *complaint(char words[WORDS]) {
  const char *best = NULL;
  for (char *line = strtok(words, "\n"); line; line = strtok(NULL, "\n"))
    if (!best || strstr(line, ": ")) best = line + strspn(line, " \t");
  return best && *best ? best : "it gave no reason";
}

static sfnec_status wait_for(pid_t child, int *code) {
  while (waitpid(child, code, 0) < 0)
    if (errno != EINTR) return sfnec_fail(SFNEC_ERROR_IO, "cannot wait for gnuplot: %s", strerror(errno));
  return SFNEC_OK;
}

static sfnec_status run(const char *folder, const char *script, int *code, char words[WORDS]) {
  int ends[2];
  if (pipe(ends) != 0) return sfnec_fail(SFNEC_ERROR_IO, "cannot start gnuplot: %s", strerror(errno));
  const pid_t child = fork();
  if (child == 0) become_gnuplot(folder, script, ends[1]);
  const int error = errno;
  close(ends[1]);
  if (child > 0) listen(ends[0], words);
  close(ends[0]);
  if (child < 0) return sfnec_fail(SFNEC_ERROR_IO, "cannot start gnuplot: %s", strerror(error));
  return wait_for(child, code);
}

static bool is_there(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && facts.st_size > 0;
}

// cairo writes the time into a PDF; a fixed one of the same length keeps equal figures equal
static void fix_date(const char *path) {
  static const char mark[] = "/CreationDate (D:", date[] = "20000101000000";
  FILE *file = fopen(path, "r+b");
  if (!file) return;
  size_t matched = 0;
  for (int c; matched < sizeof mark - 1 && (c = getc(file)) != EOF;)
    matched = c == mark[matched] ? matched + 1 : c == mark[0];
  if (matched == sizeof mark - 1 && fseek(file, 0, SEEK_CUR) == 0) fputs(date, file);
  fclose(file);
}

sfnec_status sfnec_plot_draw(const char *folder, const char *script, const char *picture, bool *found) {
  *found = true;
  char path[4096], words[WORDS] = "";
  const int length = snprintf(path, sizeof path, "%s/%s", folder, picture);
  if (length < 0 || (size_t)length >= sizeof path)
    return sfnec_fail(SFNEC_ERROR_IO, "the path of %s is too long; choose a folder nearer to the root", picture);
  // an older picture must not pass for the new one
  remove(path);
  int code = 0;
  const sfnec_status status = run(folder, script, &code, words);
  if (status) return status;
  if (WIFEXITED(code) && WEXITSTATUS(code) == 0 && is_there(path)) {
    if (strstr(picture, ".pdf")) fix_date(path);
    return SFNEC_OK;
  }
  remove(path);
  *found = !(WIFEXITED(code) && WEXITSTATUS(code) == NOT_FOUND);
  if (!*found) return sfnec_fail(SFNEC_ERROR_IO, "gnuplot was not found");
  if (WIFSIGNALED(code))
    return sfnec_fail(SFNEC_ERROR_IO, "gnuplot was ended by signal %d while it drew %s/%s", WTERMSIG(code), folder,
                      script);
  return sfnec_fail(SFNEC_ERROR_IO, "gnuplot could not draw %s/%s: %s", folder, script, complaint(words));
}
