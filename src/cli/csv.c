// csv.c: results as comma-separated values: agent,seed,task,return,episodes,entries,seconds.
//
// Rows are flushed as they come, so a kill loses none. Rows of parallel runs come in the order in which the runs
// end; csv_begin_final writes them again in the fixed order, under a temporary name until they are on disk.
#include "cli/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/text.h"

static int refuse(const csv *csv) {
  return fail("--csv %s: cannot write: %s; choose another path", csv->path, strerror(errno));
}

static int write_header(csv *csv) {
  fputs("agent,seed,task,return,episodes,entries,seconds\n", csv->file);
  return fflush(csv->file) ? refuse(csv) : EXIT_OK;
}

// after an error nothing more is written, and the half-made file goes
static void drop(csv *csv) {
  if (csv->file) fclose(csv->file);
  if (csv->temporary) unlink(csv->temporary);
  free(csv->temporary);
  *csv = (struct csv){0};
}

int csv_open(csv *csv, const char *path) {
  *csv = (struct csv){.path = path};
  if (!path) return EXIT_OK;
  csv->file = fopen(path, "w");
  // a link such as /dev/stdout must not be renamed over either, so only a plain file is no stream
  struct stat there;
  csv->stream = csv->file && (lstat(path, &there) || !S_ISREG(there.st_mode));
  const int code = csv->file ? write_header(csv) : refuse(csv);
  if (code) drop(csv);
  return code;
}

int csv_rows(csv *csv, const char *agent, uint64_t seed, const sfnec_task_record *tasks, uint32_t count) {
  if (!csv->file) return EXIT_OK;
  for (uint32_t i = 0; i < count; i++) {
    const sfnec_task_result *result = &tasks[i].result;
    char total[TEXT_NUMBER];
    fprintf(csv->file, "%s,%" PRIu64 ",%" PRIu32 ",%s,%" PRId64 ",%" PRId64 ",%.3f\n", agent, seed, tasks[i].task + 1,
            text_real(result->total, total), result->episodes, result->entries, result->seconds);
  }
  if (fflush(csv->file) == 0) return EXIT_OK;
  const int code = refuse(csv);
  drop(csv);
  return code;
}

int csv_begin_final(csv *csv) {
  if (!csv->file || csv->stream) return EXIT_OK;
  struct stat old;
  if (fstat(fileno(csv->file), &old)) return refuse(csv);
  csv->temporary = must_alloc(strlen(csv->path) + 16, 1);
  sprintf(csv->temporary, "%s.part-XXXXXX", csv->path);
  const int file = mkstemp(csv->temporary);
  FILE *stream = file < 0 ? NULL : fdopen(file, "w");
  if (!stream) {
    const int code = refuse(csv);
    if (file >= 0) close(file);
    drop(csv);
    return code;
  }
  fclose(csv->file);
  csv->file = stream;
  // mkstemp makes private files; a table of results has the permissions that it had
  if (fchmod(file, old.st_mode & 0777)) return refuse(csv);
  return write_header(csv);
}

int csv_close(csv *csv) {
  if (!csv->file) return EXIT_OK;
  bool good = fflush(csv->file) == 0;
  if (good && csv->temporary) good = fsync(fileno(csv->file)) == 0;
  good = fclose(csv->file) == 0 && good;
  csv->file = NULL;
  if (good && csv->temporary) good = rename(csv->temporary, csv->path) == 0;
  if (good) {
    free(csv->temporary);
    csv->temporary = NULL;
  }
  const int code = good ? EXIT_OK : refuse(csv);
  drop(csv);
  return code;
}
