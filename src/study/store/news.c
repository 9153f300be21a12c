// news.c: news of a job and records of its tasks as bytes; see news.h.
#include "study/store/news.h"

#include <stdlib.h>

// ---- records ----

void sfnec_record_pack(const sfnec_task_record *record, sfnec_pack *pack) {
  const sfnec_task_result *result = &record->result;
  sfnec_pack_u32(pack, record->task);
  sfnec_pack_f64(pack, result->total);
  sfnec_pack_i64(pack, result->steps);
  sfnec_pack_i64(pack, result->episodes);
  sfnec_pack_i64(pack, result->goals);
  sfnec_pack_i64(pack, result->entries);
  sfnec_pack_f64(pack, result->w_error);
  sfnec_pack_f64(pack, result->seconds);
  sfnec_pack_u32(pack, record->use_count);
  for (uint32_t i = 0; i < record->use_count; i++) sfnec_pack_i64(pack, record->uses[i]);
  sfnec_pack_u32(pack, record->episode_count);
  for (uint32_t i = 0; i < record->episode_count; i++) {
    const sfnec_episode_result *episode = &record->episodes[i];
    sfnec_pack_i64(pack, episode->steps);
    sfnec_pack_f64(pack, episode->total);
    sfnec_pack_u32(pack, episode->terminated);
  }
}

// an array for as many elements as there are bytes for; NULL for none
static void *array(sfnec_unpack *pack, uint32_t count, size_t packed_size, size_t size) {
  if (pack->failed || count == 0) return NULL;
  void *elements = count <= pack->left / packed_size ? calloc(count, size) : NULL;
  if (!elements) pack->failed = true;
  return elements;
}

bool sfnec_record_unpack(sfnec_unpack *pack, sfnec_task_record *record) {
  *record = (sfnec_task_record){0};
  record->task = sfnec_unpack_u32(pack);
  sfnec_task_result *result = &record->result;
  result->total = sfnec_unpack_f64(pack);
  result->steps = sfnec_unpack_i64(pack);
  result->episodes = sfnec_unpack_i64(pack);
  result->goals = sfnec_unpack_i64(pack);
  result->entries = sfnec_unpack_i64(pack);
  result->w_error = sfnec_unpack_f64(pack);
  result->seconds = sfnec_unpack_f64(pack);

  record->use_count = sfnec_unpack_u32(pack);
  int64_t *uses = array(pack, record->use_count, 8, sizeof *uses);
  record->uses = uses;
  for (uint32_t i = 0; uses && i < record->use_count; i++) uses[i] = sfnec_unpack_i64(pack);

  record->episode_count = sfnec_unpack_u32(pack);
  sfnec_episode_result *episodes = array(pack, record->episode_count, 20, sizeof *episodes);
  record->episodes = episodes;
  for (uint32_t i = 0; episodes && i < record->episode_count; i++) {
    episodes[i].task = record->task;
    episodes[i].steps = sfnec_unpack_i64(pack);
    episodes[i].total = sfnec_unpack_f64(pack);
    episodes[i].terminated = sfnec_unpack_u32(pack) != 0;
  }
  if (!pack->failed) return true;
  sfnec_record_clear(record);
  return false;
}

void sfnec_record_clear(sfnec_task_record *record) {
  // what was unpacked is ours; the fields are constant for those who only look
  free((void *)record->uses);
  free((void *)record->episodes);
  *record = (sfnec_task_record){0};
}

// ---- news ----

void sfnec_news_pack(const sfnec_news *news, sfnec_pack *pack) {
  sfnec_pack_u32(pack, news->kind);
  sfnec_pack_u32(pack, news->worker);
  sfnec_pack_u32(pack, news->job);
  sfnec_pack_f64(pack, news->tasks_done);
  sfnec_pack_i64(pack, news->steps);
  sfnec_pack_i64(pack, news->bytes);
  sfnec_pack_u32(pack, news->status);
  sfnec_pack_text(pack, news->text ? news->text : "");
  if (news->kind == SFNEC_NEWS_TASK) sfnec_record_pack(&news->record, pack);
}

sfnec_news *sfnec_news_unpack(sfnec_unpack *pack) {
  sfnec_news *news = calloc(1, sizeof *news);
  if (!news) return NULL;
  news->kind = (sfnec_news_kind)sfnec_unpack_u32(pack);
  news->worker = sfnec_unpack_u32(pack);
  news->job = sfnec_unpack_u32(pack);
  news->tasks_done = sfnec_unpack_f64(pack);
  news->steps = sfnec_unpack_i64(pack);
  news->bytes = sfnec_unpack_i64(pack);
  news->status = (sfnec_status)sfnec_unpack_u32(pack);
  news->text = sfnec_unpack_text(pack);
  if (!pack->failed && news->kind == SFNEC_NEWS_TASK) sfnec_record_unpack(pack, &news->record);
  if (!pack->failed && news->kind <= SFNEC_NEWS_STOPPED) return news;
  sfnec_news_destroy(news);
  return NULL;
}

sfnec_news *sfnec_news_copy(const sfnec_news *news) {
  // through the bytes: one place knows what belongs to news
  sfnec_pack pack = {0};
  sfnec_news_pack(news, &pack);
  sfnec_unpack bytes = {.bytes = pack.bytes, .left = pack.size, .failed = pack.failed};
  sfnec_news *copy = sfnec_news_unpack(&bytes);
  free(pack.bytes);
  return copy;
}

void sfnec_news_destroy(sfnec_news *news) {
  if (!news) return;
  free(news->text);
  sfnec_record_clear(&news->record);
  free(news);
}
