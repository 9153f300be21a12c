// stats_files.c: the statistics of an experiment as JSON and CSV. Both have the same numbers per configuration, from
// one list; what is not known is null in JSON and empty in CSV.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/stats_output.h"

// ---- the numbers of a configuration ----

enum { NUMBERS = 40 };

typedef struct number {
  const char *name;
  double value; // NaN: not known
} number;

static size_t list_numbers(const sfnec_study *study, const sfnec_study_row *row, number out[NUMBERS]) {
  const sfnec_summary *summary = &row->summary;
  const bool any = row->scores.count > 0, published = row->published;
  const bool compared = any && row != &study->rows[study->reference], paired = compared && row->paired.count;
  const bool swept = any && row->sweep != SIZE_MAX && study->sweeps[row->sweep].seeds;
  const bool judged = study->options.goal.window > 0;
#define GIVEN(condition, value) ((condition) ? (double)(value) : (double)NAN)
  const number list[] = {
      {"runs", (double)row->scores.count},
      {"mean", GIVEN(any, row->mean)},
      {"se", GIVEN(any, row->error)},
      {"mean_low", GIVEN(any, summary->mean.interval.low)},
      {"mean_high", GIVEN(any, summary->mean.interval.high)},
      {"median", GIVEN(any, summary->median.value)},
      {"median_low", GIVEN(any, summary->median.interval.low)},
      {"median_high", GIVEN(any, summary->median.interval.high)},
      {"iqm", GIVEN(any, summary->iqm.value)},
      {"iqm_low", GIVEN(any, summary->iqm.interval.low)},
      {"iqm_high", GIVEN(any, summary->iqm.interval.high)},
      {"published", GIVEN(published, row->published->mean)},
      {"published_se", GIVEN(published, row->published->se)},
      {"published_distance", GIVEN(published, row->published_errors)},
      {"pairs", GIVEN(compared, row->paired.count)},
      {"difference", GIVEN(paired, row->paired.mean.value)},
      {"difference_se", GIVEN(paired, row->paired.error)},
      {"difference_low", GIVEN(paired, row->paired.mean.interval.low)},
      {"difference_high", GIVEN(paired, row->paired.mean.interval.high)},
      {"better", GIVEN(paired, row->better)},
      {"worse", GIVEN(paired, row->worse)},
      {"p", GIVEN(paired, row->paired.p)},
      {"improvement", GIVEN(compared, row->improvement.value)},
      {"improvement_low", GIVEN(compared, row->improvement.interval.low)},
      {"improvement_high", GIVEN(compared, row->improvement.interval.high)},
      {"best_chance", GIVEN(swept, row->contender.chance)},
      {"best_possible", GIVEN(swept, row->contender.possible)},
      {"solved_runs", GIVEN(judged, row->solved.runs)},
      {"solved", GIVEN(judged, row->solved.solved)},
      {"solved_after", GIVEN(judged, row->solved.after)},
      {"solved_after_se", GIVEN(judged, row->solved.after_error)},
      {"best_window", GIVEN(judged, row->solved.best)},
      {"best_window_se", GIVEN(judged, row->solved.best_error)},
  };
#undef GIVEN
  _Static_assert(sizeof list / sizeof list[0] <= NUMBERS, "NUMBERS holds the list");
  memcpy(out, list, sizeof list);
  return sizeof list / sizeof list[0];
}

// ---- files ----

static FILE *open_file(const char *path) {
  return strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
}

static int close_file(FILE *file, const char *option, const char *path) {
  if (file == stdout) return flush_output();
  // a full disk shows at the latest when the file is closed
  const bool good = file && !ferror(file);
  const bool closed = file && fclose(file) == 0;
  return good && closed ? EXIT_OK
                        : fail("--%s %s: cannot write: %s; choose another path", option, path, strerror(errno));
}

static void print_number(FILE *file, double value, const char *unknown) {
  char text[TEXT_NUMBER];
  fputs(isfinite(value) ? text_real(value, text) : unknown, file);
}

// ---- JSON ----

static void print_json_text(FILE *file, const char *text) {
  fputc('"', file);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\') fprintf(file, "\\%c", *c);
    else if (*c < 0x20) fprintf(file, "\\u%04x", *c);
    else fputc(*c, file);
  }
  fputc('"', file);
}

static void print_json_pair(FILE *file, const char *key, const char *text, const char *end) {
  fprintf(file, "\"%s\": ", key);
  print_json_text(file, text ? text : "");
  fputs(end, file);
}

static void print_json_scores(FILE *file, const sfnec_study_row *row) {
  fputs("\"seeds\": [", file);
  for (size_t i = 0; i < row->scores.count; i++) fprintf(file, "%s%" PRIu64, i ? ", " : "", row->scores.seeds[i]);
  fputs("], \"scores\": [", file);
  for (size_t i = 0; i < row->scores.count; i++) {
    fputs(i ? ", " : "", file);
    print_number(file, row->scores.values[i], "null");
  }
  fputs("]", file);
}

static void print_json_profile(FILE *file, const sfnec_study *study, const sfnec_study_row *row) {
  fputs("\"profile\": [", file);
  for (size_t k = 0; row->profile && k < study->tau_count; k++) {
    const sfnec_estimate *share = &row->profile[k];
    const number list[] = {
        {"tau", study->taus[k]},
        {"share", share->value},
        {"low", share->interval.low},
        {"high", share->interval.high},
    };
    fputs(k ? ", {" : "{", file);
    for (size_t i = 0; i < 4; i++) {
      fprintf(file, "%s\"%s\": ", i ? ", " : "", list[i].name);
      print_number(file, list[i].value, "null");
    }
    fputs("}", file);
  }
  fputs("]", file);
}

static void print_json_row(FILE *file, const sfnec_study *study, const sfnec_study_row *row) {
  fputs("    {", file);
  print_json_pair(file, "configuration", row->configuration->name, ", ");
  print_json_pair(file, "label", row->configuration->label, ", ");
  print_json_pair(file, "point", row->configuration->point, ",\n     ");
  number numbers[NUMBERS];
  const size_t count = list_numbers(study, row, numbers);
  for (size_t i = 0; i < count; i++) {
    fprintf(file, "\"%s\": ", numbers[i].name);
    print_number(file, numbers[i].value, "null");
    fputs(", ", file);
  }
  fputs("\n     ", file);
  print_json_scores(file, row);
  fputs(",\n     ", file);
  print_json_profile(file, study, row);
  fputs("}", file);
}

static void print_json_sweeps(FILE *file, const sfnec_study *study) {
  fputs("  \"sweeps\": [", file);
  for (size_t i = 0; i < study->sweep_count; i++) {
    const sfnec_study_sweep *sweep = &study->sweeps[i];
    fputs(i ? ",\n    {" : "\n    {", file);
    print_json_pair(file, "label", sweep->label, ", ");
    fprintf(file, "\"points\": %zu, \"seeds\": %zu, \"possible\": %zu, \"best\": ", sweep->points, sweep->seeds,
            sweep->possible);
    if (sweep->seeds) print_json_text(file, study->rows[sweep->best].configuration->name);
    else fputs("null", file);
    fputs("}", file);
  }
  fputs(study->sweep_count ? "\n  ]\n" : "]\n", file);
}

int stats_write_json(const sfnec_study *study, const char *path) {
  FILE *file = open_file(path);
  if (!file) return close_file(NULL, "json", path);
  const sfnec_coverage *coverage = &study->coverage;
  fputs("{\n  ", file);
  print_json_pair(file, "experiment", study->results->name, ",\n  ");
  print_json_pair(file, "env", study->results->env, ",\n  ");
  print_json_pair(file, "metric", study->metric->name, ",\n");
  fprintf(file,
          "  \"less_is_better\": %s,\n  \"task\": %" PRIu32 ",\n  \"by_task\": %s,\n  \"resamples\": %" PRIu32 ",\n",
          study->metric->less_is_better ? "true" : "false", coverage->task, study->options.by_task ? "true" : "false",
          study->options.resamples);
  fprintf(file, "  \"runs\": {\"wanted\": %zu, \"done\": %zu, \"failed\": %zu, \"counted\": %zu, \"early\": %zu},\n  ",
          coverage->wanted, coverage->done, coverage->failed, coverage->counted, coverage->early);
  print_json_pair(file, "against", study->rows[study->reference].configuration->name, ",\n");
  fputs("  \"configurations\": [\n", file);
  for (size_t i = 0; i < study->row_count; i++) {
    print_json_row(file, study, &study->rows[i]);
    fputs(i + 1 < study->row_count ? ",\n" : "\n", file);
  }
  fputs("  ],\n", file);
  print_json_sweeps(file, study);
  fputs("}\n", file);
  return close_file(file, "json", path);
}

// ---- CSV ----

static void print_csv_text(FILE *file, const char *text) {
  if (!strpbrk(text, ",\"\n\r")) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

int stats_write_csv(const sfnec_study *study, const char *path) {
  FILE *file = open_file(path);
  if (!file) return close_file(NULL, "csv", path);
  number numbers[NUMBERS];
  for (size_t i = 0; i < study->row_count; i++) {
    const sfnec_study_row *row = &study->rows[i];
    const size_t count = list_numbers(study, row, numbers);
    if (i == 0) fputs("configuration,label,point,metric,task", file);
    for (size_t j = 0; i == 0 && j < count; j++) fprintf(file, ",%s", numbers[j].name);
    if (i == 0) fputs("\n", file);
    print_csv_text(file, row->configuration->name);
    fputs(",", file);
    print_csv_text(file, row->configuration->label);
    fputs(",", file);
    print_csv_text(file, row->configuration->point);
    fprintf(file, ",%s,%" PRIu32, study->metric->name, study->coverage.task);
    for (size_t j = 0; j < count; j++) {
      fputs(",", file);
      print_number(file, numbers[j].value, "");
    }
    fputs("\n", file);
  }
  return close_file(file, "csv", path);
}
