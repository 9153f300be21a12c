// cmd_report.c: `sfnec report`: experiments as one page for the browser, once or while they run.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/limit.h"
#include "cli/output.h"
#include "show/report/report.h"

typedef struct report_args {
  const char *out, *env;
  int64_t resamples, replays, every, time_limit;
  bool watch;
} report_args;

static int run_report(const void *values, const text_list *operands);

static const arg table[] = {
    {"out", ARG_TEXT, offsetof(report_args, out), "FILE", NULL, 0, 0,
     "the page; - is the standard output (default: DIR/report.html, of several experiments report.html)"},
    {"watch", ARG_FLAG, offsetof(report_args, watch), NULL, NULL, 0, 0,
     "write the page again until all runs are done; it reloads itself in the browser"},
    {"every", ARG_INT, offsetof(report_args, every), "SECONDS", "5", 1, 86400,
     "with --watch: seconds between two pages"},
    {"resamples", ARG_INT, offsetof(report_args, resamples), "N", "10000", 1, 10000000, "of the bootstrap"},
    {"replays", ARG_INT, offsetof(report_args, replays), "N", "8", 0, 100,
     "so many configurations get a replay, if their agents were kept"},
    ARG_TIME_LIMIT(report_args, time_limit),
    {"env", ARG_TEXT, offsetof(report_args, env), "NAME", NULL, 0, 0, "of the replays: " ENV_PLAYED},
    {0},
};

const command command_report = {
    .name = "report",
    .summary = "write experiments as one page for the browser",
    .operands = "DIR...",
    .more_operands = true,
    .about = "Writes one HTML file that works offline and can be mailed: the settings, comparison with published\n"
             "values, curves with bands, box plots and tables of sweeps, the use of old policies, the growth of\n"
             "the memory, statistics, the data for download, and replays of the agents (for a spec with\n"
             "'record: {agents: yes}'). An experiment may be unfinished; with --watch\n"
             "the page follows it. Several experiments stand on one page, with a list to choose from.\n"
             "docs/report.md is the guide.",
    .args = table,
    .values_size = sizeof(report_args),
    .run = run_report,
};

// the experiments of one page
typedef struct pages {
  const report_args *args;
  const text_list *folders;
  sfnec_results **results;   // (folders)
  sfnec_coverage *coverages; // (folders)
  const char *path;
} pages;

static void forget(pages *p) {
  for (size_t i = 0; i < p->folders->count; i++) {
    sfnec_results_destroy(p->results[i]);
    p->results[i] = NULL;
  }
}

static int load(pages *p) {
  int code = EXIT_OK;
  for (size_t i = 0; i < p->folders->count && !code; i++)
    code = code_of(sfnec_results_load(p->folders->items[i], &p->results[i]));
  return code;
}

static int write_page(pages *p, uint32_t reload) {
  const report_args *args = p->args;
  const sfnec_report_options options = {
      .resamples = (uint32_t)args->resamples, .replays = (uint32_t)args->replays, .reload = reload, .env = args->env};
  output output;
  const int code = output_open(&output, args->out ? "out" : NULL, p->path);
  if (code) return code;
  const sfnec_status status = sfnec_report_write((const sfnec_results *const *)p->results, p->folders->count, &options,
                                                 output.file, p->coverages);
  return output_close(&output, code_of(status));
}

static int write_once(pages *p) {
  int code = load(p);
  if (!code) code = write_page(p, 0);
  forget(p);
  if (code || is_stdout(p->path)) return code;
  printf("wrote %s: open it in a browser\n", p->path);
  for (size_t i = 0; i < p->folders->count; i++)
    if (p->coverages[i].done < p->coverages[i].wanted) {
      const bool several = p->folders->count > 1;
      printf("%zu of %zu runs%s%s are finished; the page shows the results so far\n", p->coverages[i].done,
             p->coverages[i].wanted, several ? " of " : "", several ? p->folders->items[i] : "");
    }
  return EXIT_OK;
}

// ---- while they run ----

static volatile sig_atomic_t stopped;

static void stop(int signal) {
  (void)signal;
  stopped = 1;
}

// Ctrl-C ends the waiting, and the last page is written as one that stays
static void catch_signals(void) {
  struct sigaction action = {.sa_handler = stop};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static bool has_begun(const pages *p) {
  sfnec_coverage coverage;
  for (size_t i = 0; i < p->folders->count; i++)
    if (sfnec_coverage_find(p->results[i], 0, &coverage)) return false;
  return true;
}

static bool is_over(const pages *p) {
  for (size_t i = 0; i < p->folders->count; i++)
    if (p->coverages[i].done + p->coverages[i].failed < p->coverages[i].wanted) return false;
  return true;
}

static void print_state(const pages *p, bool over) {
  if (over) printf("all runs are done; %s is the last page\n", p->path);
  else printf("wrote %s: open it in a browser; it follows the runs until all are done or Ctrl-C\n", p->path);
  (void)flush_output();
}

static int watch(pages *p) {
  const struct timespec pause = {.tv_sec = (time_t)p->args->every};
  bool first = true, waiting = false, over = false;
  int code = EXIT_OK;
  catch_signals();
  while (!code && !over) {
    const bool last = stopped;
    code = load(p);
    const bool begun = !code && has_begun(p);
    if (begun) code = write_page(p, last ? 0 : (uint32_t)p->args->every);
    // what has just become complete is written once more, as a page that stays
    if (begun && !code && !last && is_over(p)) code = write_page(p, 0), over = true;
    if (begun && !code && (first || over)) print_state(p, over);
    if (begun) first = false;
    if (!code && !begun && !waiting && !last) {
      printf("no run has finished a task yet; waiting for the first\n");
      (void)flush_output();
      waiting = true;
    }
    forget(p);
    over = over || last;
    if (!over && !code) nanosleep(&pause, NULL);
  }
  return code;
}

static int run_report(const void *values, const text_list *operands) {
  const report_args *args = values;
  const char *folder = operands->items[0];
  const size_t length = strlen(folder), count = operands->count;
  limit_time(args->time_limit);
  // before the minute that a large experiment may take
  int code = code_of(sfnec_report_check());
  if (code) return code;
  if (args->watch && is_stdout(args->out)) return misuse("--watch writes a file again and again; give --out FILE");
  char *path = count > 1 ? text_print("report.html")
                         : text_print("%s%sreport.html", folder, length && folder[length - 1] == '/' ? "" : "/");
  pages pages = {.args = args, .folders = operands, .path = args->out ? args->out : path};
  pages.results = must_alloc(count, sizeof(sfnec_results *));
  pages.coverages = must_alloc(count, sizeof(sfnec_coverage));
  code = args->watch ? watch(&pages) : write_once(&pages);
  free(pages.results);
  free(pages.coverages);
  free(path);
  return code;
}
