// csv.c: results as comma-separated values: agent,seed,task,return,episodes,entries,seconds.
//
// Rows are flushed as they come, so a kill loses none. Rows of parallel runs come in the order in which the runs
// end; csv_begin_final writes them again in the fixed order, in one go.
#include "cli/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "cli/cli.h"

static int refuse(const csv *csv) {
  return fail("--csv %s: cannot write: %s; choose another path", csv->path, strerror(errno));
}

static int write_header(csv *csv) {
  fputs("agent,seed,task,return,episodes,entries,seconds\n", csv->file);
  return fflush(csv->file) ? refuse(csv) : EXIT_OK;
}

// the end of the file, after which nothing more is written; a half-made one goes
static int end(csv *csv, int code) {
  if (csv->final.file) code = output_close(&csv->final, code);
  else if (fclose(csv->file) != 0 && !code) code = refuse(csv);
  *csv = (struct csv){0};
  return code;
}

int csv_open(csv *csv, const char *path) {
  *csv = (struct csv){.path = path};
  if (!path) return EXIT_OK;
  csv->file = fopen(path, "w");
  // a link such as /dev/stdout must not be renamed over either, so only a plain file is no stream; a file of the name
  // "-", which cannot be opened a second time, is taken for one
  struct stat there;
  csv->stream = csv->file && (lstat(path, &there) || !S_ISREG(there.st_mode) || strcmp(path, "-") == 0);
  if (!csv->file) return refuse(csv);
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
  return fflush(csv->file) == 0 ? EXIT_OK : end(csv, refuse(csv));
}

int csv_begin_final(csv *csv) {
  if (!csv->file || csv->stream) return EXIT_OK;
  int code = fclose(csv->file) == 0 ? output_open(&csv->final, "csv", csv->path) : refuse(csv);
  csv->file = code ? NULL : csv->final.file;
  if (!code) code = write_header(csv);
  return code && csv->file ? end(csv, code) : code;
}

int csv_close(csv *csv) {
  return csv->file ? end(csv, EXIT_OK) : EXIT_OK;
}
