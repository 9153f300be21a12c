// gnuplot.c: the files of a figure, and gnuplot on its script, in the script's folder; when it fails, what it said.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/output.h"
#include "show/plot/figure.h"

// ---- script and data ----

static sfnec_status open_file(const plotting *p, const char *ending, sfnec_output *out) {
  const char *path = sfnec_arena_print(p->arena, "%s/%s.%s", p->folder, p->stem, ending);
  return path ? sfnec_output_open_inside(out, path) : sfnec_fail_memory("a figure");
}

sfnec_status sfnec_plot_files(plotting *p, plot_writer *write, const void *what) {
  sfnec_output script = {0}, data = {0};
  sfnec_status status = open_file(p, "gp", &script);
  if (!status) status = open_file(p, "dat", &data);
  p->script = script.file;
  p->data = data.file;
  if (!status) status = write(p, what);
  const sfnec_status closed = sfnec_output_close(&script, !status);
  if (!status) status = closed;
  const sfnec_status last = sfnec_output_close(&data, !status);
  return status ? status : last;
}

// ---- gnuplot ----

enum { NOT_FOUND = 127 };

// only calls that are safe between fork and exec, as other threads of the program may hold locks
static void become_gnuplot(const char *folder, const char *script, int words) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0) _exit(NOT_FOUND - 1);
  if (dup2(words, STDERR_FILENO) < 0 || chdir(folder) != 0) _exit(NOT_FOUND - 1);
  // -d: without the user's own settings, which would change the picture
  execlp("gnuplot", "gnuplot", "-d", script, (char *)NULL);
  _exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
}

static sfnec_status run_gnuplot(const char *folder, const char *script, FILE *words, int *code) {
  const pid_t child = words ? fork() : -1;
  if (child == 0) become_gnuplot(folder, script, fileno(words));
  if (child < 0) return sfnec_fail(SFNEC_ERROR_IO, "cannot start gnuplot: %s", strerror(errno));
  while (waitpid(child, code, 0) < 0)
    if (errno != EINTR) return sfnec_fail(SFNEC_ERROR_IO, "cannot wait for gnuplot: %s", strerror(errno));
  return SFNEC_OK;
}

// the line that says what is wrong: gnuplot shows the place first, then "file" line 7: the error
static void find_complaint(FILE *words, char *best, size_t size) {
  char line[512];
  snprintf(best, size, "it gave no reason");
  rewind(words);
  for (bool any = false; fgets(line, sizeof line, words);) {
    line[strcspn(line, "\n")] = '\0';
    const char *text = line + strspn(line, " \t");
    if (*text && (!any || strstr(text, ": "))) snprintf(best, size, "%s", text);
    any = any || *text;
  }
}

static bool is_there(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && facts.st_size > 0;
}

// cairo writes the time into a PDF; a fixed one of the same length keeps equal figures equal
static void fix_date(const char *path) {
  static const char mark[] = "/CreationDate (D:", date[] = "20000101000000";
  FILE *file = fopen(path, "r+be");
  if (!file) return;
  size_t matched = 0;
  for (int c; matched < sizeof mark - 1 && (c = getc(file)) != EOF;)
    matched = c == mark[matched] ? matched + 1 : c == mark[0];
  if (matched == sizeof mark - 1 && fseek(file, 0, SEEK_CUR) == 0) fputs(date, file);
  fclose(file);
}

// judges what gnuplot has left
static sfnec_status check_picture(const plotting *p, const char *script, const char *path, int code, FILE *words) {
  if (WIFEXITED(code) && WEXITSTATUS(code) == 0 && is_there(path)) {
    if (strcmp(p->format, "pdf") == 0) fix_date(path);
    return SFNEC_OK;
  }
  remove(path);
  if (WIFEXITED(code) && WEXITSTATUS(code) == NOT_FOUND)
    return sfnec_fail(SFNEC_ERROR_IO,
                      "gnuplot is not installed, so nothing was drawn; install it (Debian: the package gnuplot-nox) "
                      "and try again. Scripts and data are in %s",
                      p->folder);
  if (WIFSIGNALED(code))
    return sfnec_fail(SFNEC_ERROR_IO, "gnuplot was ended by signal %d while it drew %s/%s", WTERMSIG(code), p->folder,
                      script);
  char complaint[512];
  find_complaint(words, complaint, sizeof complaint);
  return sfnec_fail(SFNEC_ERROR_IO, "gnuplot could not draw %s/%s: %s", p->folder, script, complaint);
}

sfnec_status sfnec_plot_draw(const plotting *p, const char *script, const char *picture) {
  const char *path = sfnec_arena_print(p->arena, "%s/%s", p->folder, picture);
  if (!path) return sfnec_fail_memory("a figure");
  // an older picture must not pass for the new one
  remove(path);
  int code = 0;
  FILE *words = tmpfile();
  if (words) fcntl(fileno(words), F_SETFD, FD_CLOEXEC);
  sfnec_status status = run_gnuplot(p->folder, script, words, &code);
  if (!status) status = check_picture(p, script, path, code, words);
  if (words) fclose(words);
  return status;
}
