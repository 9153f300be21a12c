// output.c: the files of a command; see output.h.
//
// Rows of a table are flushed as they come, so a kill loses none. Those of parallel runs come in the order in which the
// runs end; csv_begin_final writes them again in the fixed order, in one go.
#include "cli/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv.h"
#include "cli/cli.h"

// ---- in one go ----

static int refuse(const output *output) {
  if (!output->option) return fail("%s", sfnec_last_error());
  return fail("--%s: %s", output->option, sfnec_last_error());
}

bool is_stdout(const char *path) {
  return path && strcmp(path, "-") == 0;
}

int output_open(output *output, const char *option, const char *path) {
  *output = (struct output){.option = option, .file = stdout};
  if (is_stdout(path)) return EXIT_OK;
  if ((option ? sfnec_output_open : sfnec_output_open_inside)(&output->whole, path)) return refuse(output);
  output->file = output->whole.file;
  return EXIT_OK;
}

int output_close(output *output, int code) {
  if (output->file == stdout) return code ? code : flush_output();
  const sfnec_status status = sfnec_output_close(&output->whole, !code);
  return status ? refuse(output) : code;
}

int check_writable(const char *path, const char *option) {
  struct stat there;
  // saving ends with a rename, which must not put a file in the place of a device or of a link such as /dev/stdout
  if (lstat(path, &there) == 0 && !S_ISREG(there.st_mode))
    return fail("%s %s is not a regular file but a link, a folder or a device; choose another path", option, path);
  // only trying shows it: root passes every test of permissions, even on a read-only disk
  char *probe = text_print("%s.probe-XXXXXX", path);
  const int file = path[0] ? mkstemp(probe) : -1;
  const int why = path[0] ? errno : ENOENT;
  if (file >= 0) {
    close(file);
    unlink(probe);
  }
  free(probe);
  if (file < 0) return fail("%s %s: cannot write there: %s; choose another path", option, path, strerror(why));
  return EXIT_OK;
}

// ---- row by row ----

static int refuse_rows(const csv *csv) {
  if (csv->file == stdout) return flush_output();
  return fail("--csv %s: cannot write: %s; choose another path", csv->path, strerror(errno));
}

static int write_header(csv *csv) {
  fputs("agent,seed,task,return,episodes,entries,seconds\n", csv->file);
  return fflush(csv->file) ? refuse_rows(csv) : EXIT_OK;
}

// the end of the file, after which nothing more is written; a half-made one goes
static int end(csv *csv, int code) {
  if (csv->final.file) code = output_close(&csv->final, code);
  else if (csv->file == stdout) code = code ? code : flush_output();
  else if (fclose(csv->file) != 0 && !code) code = refuse_rows(csv);
  *csv = (struct csv){0};
  return code;
}

int csv_open(csv *csv, const char *path) {
  *csv = (struct csv){.path = path};
  if (!path) return EXIT_OK;
  const bool standard = is_stdout(path);
  csv->file = standard ? stdout : fopen(path, "we");
  // a link such as /dev/stdout must not be renamed over either, so only a plain file is no stream
  struct stat there;
  csv->stream = standard || (csv->file && (lstat(path, &there) || !S_ISREG(there.st_mode)));
  if (!csv->file) return refuse_rows(csv);
  const int code = write_header(csv);
  return code ? end(csv, code) : EXIT_OK;
}

int csv_rows(csv *csv, const char *agent, uint64_t seed, const sfnec_task_record *tasks, uint32_t count) {
  if (!csv->file) return EXIT_OK;
  for (uint32_t i = 0; i < count; i++) {
    const sfnec_task_result *result = &tasks[i].result;
    sfnec_csv_text(csv->file, agent);
    fprintf(csv->file, ",%" PRIu64 ",%" PRIu32 ",", seed, tasks[i].task + 1);
    sfnec_csv_real(csv->file, result->total);
    fprintf(csv->file, ",%" PRId64 ",%" PRId64 ",%.3f\n", result->episodes, result->entries, result->seconds);
  }
  return fflush(csv->file) == 0 ? EXIT_OK : end(csv, refuse_rows(csv));
}

int csv_begin_final(csv *csv) {
  if (!csv->file || csv->stream) return EXIT_OK;
  int code = fclose(csv->file) == 0 ? output_open(&csv->final, "csv", csv->path) : refuse_rows(csv);
  csv->file = code ? NULL : csv->final.file;
  if (!code) code = write_header(csv);
  return code && csv->file ? end(csv, code) : code;
}

int csv_close(csv *csv) {
  return csv->file ? end(csv, EXIT_OK) : EXIT_OK;
}
