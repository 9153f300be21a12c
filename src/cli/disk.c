// disk.c: what an experiment takes on disk; see disk.h.
#include "cli/disk.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "study/work/state_file.h"

// all files below a folder; links are not followed
static int64_t bytes_below(const char *folder, int depth) {
  enum { DEEPEST = 8 };
  DIR *stream = depth < DEEPEST ? opendir(folder) : NULL;
  int64_t sum = 0;
  for (const struct dirent *entry; stream && (entry = readdir(stream));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char *path = text_print("%s/%s", folder, entry->d_name);
    struct stat facts;
    if (lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) sum += bytes_below(path, depth + 1);
    else if (lstat(path, &facts) == 0 && S_ISREG(facts.st_mode)) sum += facts.st_size;
    free(path);
  }
  if (stream) closedir(stream);
  return sum;
}

static int64_t state_bytes(const char *folder, const char *job) {
  char *path = text_print("%s/jobs/%s", folder, job);
  const int64_t bytes = sfnec_state_get_bytes(path);
  free(path);
  return bytes;
}

bool disk_has_state(const char *folder, const char *job) {
  return state_bytes(folder, job) > 0;
}

disk_use disk_measure(const char *folder, const sfnec_results *results) {
  disk_use use = {.all = bytes_below(folder, 0)};
  for (size_t i = 0; i < results->run_count; i++) {
    const sfnec_result_run *run = &results->runs[i];
    const int64_t bytes = state_bytes(folder, run->id);
    *(run->state == SFNEC_JOB_DONE ? &use.states : &use.going) += bytes;
    use.unsaved += run->state == SFNEC_JOB_RUNNING && !bytes;
  }
  return use;
}

const char *disk_text(int64_t bytes, char text[TEXT_NUMBER]) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  double size = (double)bytes;
  size_t unit = 0;
  for (; size >= 1000 && unit < 4; unit++) size /= 1000;
  snprintf(text, TEXT_NUMBER, "%.*f %s", unit ? 1 : 0, size, units[unit]);
  return text;
}
