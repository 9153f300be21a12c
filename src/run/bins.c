// bins.c: the curve of a task; see bins.h.
#include "run/bins.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "run/record.h"

enum { LEAST = 10 }; // transitions of a bin: the mean of fewer says little, and costs as much

static int64_t least_of(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// even shares of a task, without the product of two great numbers
static int64_t end_of(const sfnec_bins *bins, int64_t number) {
  if (!bins->task_steps || !bins->most) return number * bins->width;
  const int64_t most = bins->most;
  return bins->task_steps / most * number + bins->task_steps % most * number / most;
}

static void set_rule(sfnec_bins *bins, uint32_t most, int64_t task_steps) {
  bins->task_steps = task_steps;
  bins->width = LEAST;
  bins->most = most;
  if (most && task_steps) bins->most = (uint32_t)least_of(most, task_steps > LEAST ? task_steps / LEAST : 1);
}

sfnec_status sfnec_bins_reserve(sfnec_bins *bins) {
  return !bins->most || SFNEC_WIDEN(bins->items, bins->most) ? SFNEC_OK : sfnec_fail_memory("the curve of a task");
}

sfnec_status sfnec_bins_begin(sfnec_bins *bins, const sfnec_run_options *options) {
  *bins = (sfnec_bins){0};
  set_rule(bins, options->bins, options->steps);
  return sfnec_bins_reserve(bins);
}

void sfnec_bins_free(sfnec_bins *bins) {
  free(bins->items);
  *bins = (sfnec_bins){0};
}

// two become one; the last of an odd number is half full then
static void halve(sfnec_bins *bins) {
  const sfnec_record_set *set = sfnec_bin_record_set();
  for (uint32_t i = 0; i < bins->count; i++) {
    if (i % 2) sfnec_record_add(set, &bins->items[i / 2], &bins->items[i]);
    else bins->items[i / 2] = bins->items[i];
  }
  bins->count = (bins->count + 1) / 2;
  bins->width *= 2;
  bins->end = end_of(bins, bins->count);
}

void sfnec_bins_open(sfnec_bins *bins) {
  if (bins->count == bins->most) halve(bins);
  if (!sfnec_bins_full(bins)) return;
  bins->items[bins->count++] = (sfnec_bin_result){0};
  bins->end = end_of(bins, bins->count);
}

// ---- bytes ----

void sfnec_bins_write(const sfnec_bins *bins, sfnec_writer *writer) {
  sfnec_write_u32(writer, bins->most);
  sfnec_write_u32(writer, bins->count);
  sfnec_write_i64(writer, bins->width);
  for (uint32_t i = 0; i < bins->count; i++) sfnec_record_write(sfnec_bin_record_set(), &bins->items[i], writer);
}

// Are the bins as wide as their rule says, and do they add up to so many steps? Counts that have no bound leave room
// for those to come.
static bool add_up(sfnec_bins *bins, uint32_t edition, int64_t steps) {
  const int64_t most = INT64_MAX / 4 / ((int64_t)bins->count + 1);
  for (uint32_t i = 0; i < bins->count; i++) {
    const sfnec_bin_result *bin = &bins->items[i];
    const bool whole = sfnec_record_check(sfnec_bin_record_set(), edition, bin);
    if (!whole || bin->targets > most || bin->episode_steps > most || bins->steps != bins->end) return false;
    bins->end = end_of(bins, (int64_t)i + 1);
    if (bin->steps > bins->end - bins->steps) return false;
    bins->steps += bin->steps;
  }
  return bins->steps == steps;
}

static bool is_width(int64_t width, uint32_t count) {
  int64_t at = LEAST;
  while (at < width && at <= INT64_MAX / 4) at *= 2;
  return at == width && width <= INT64_MAX / ((int64_t)count + 1);
}

sfnec_status sfnec_bins_read(sfnec_bins *bins, uint32_t edition, int64_t task_steps, int64_t steps,
                             sfnec_reader *reader) {
  const sfnec_record_set *set = sfnec_bin_record_set();
  *bins = (sfnec_bins){0};
  set_rule(bins, sfnec_read_u32(reader), task_steps);
  const uint32_t count = sfnec_read_u32(reader);
  bins->width = sfnec_read_i64(reader);
  if (bins->most > SFNEC_BINS_MOST || count > bins->most || !is_width(bins->width, count) ||
      !(bins->items = sfnec_read_room(reader, count, sfnec_record_size(set, edition), sizeof *bins->items))) {
    return sfnec_reader_refuse(reader, "the curve of a task ends early");
  }
  bins->count = count;
  for (uint32_t i = 0; i < count && sfnec_reader_good(reader); i++)
    sfnec_record_read(set, edition, &bins->items[i], reader);
  if (bins->most && !add_up(bins, edition, steps)) return sfnec_reader_refuse(reader, "the curve of a task is none");
  return SFNEC_OK;
}
