// checkpoint.c: saving a run in a folder, and resuming from there; the contract is in sfnec/run.h.
//
// Order of a save: the keys of tasks that are finished and not yet there; the new state, under the name of the older of
// the two; then what neither state refers to goes. Each file appears whole and is on disk before the next is begun, so
// a kill between any two system calls leaves the newest state and all keys that it refers to.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/folder.h"
#include "run/record.h"
#include "run/run_file.h"

static const char state_magic[] = "SFNECRUN", keys_magic[] = "SFNECKEY";
enum { KEYS_VERSION = 1, SENTENCE = 1024 };

static int slot_of(uint64_t sequence) {
  return (int)(sequence % SFNEC_FOLDER_STATES);
}

static uint32_t state_version(void) {
  return SFNEC_RUN_OLDEST_VERSION + sfnec_record_edition();
}

static sfnec_status open_state(const char *path, sfnec_reader **out) {
  return sfnec_reader_open_since(path, state_magic, SFNEC_RUN_OLDEST_VERSION, state_version(), "a checkpoint", out);
}

// Only bytes that are proven bad are damage. What could not be read (no memory, no descriptor, a failing disk, no
// permission, a newer program's) may be the newest state and whole: the run does not resume from an older one instead.
static bool is_damage(sfnec_status status) {
  return status == SFNEC_ERROR_FORMAT;
}

// ---- saving ----

// The greatest sequence number of the states that are there. Only a state that is proven bad is passed over: to begin
// below one that cannot be read now would make it the newest when it can.
static sfnec_status find_sequence(const char *folder, bool known[SFNEC_FOLDER_STATES], uint64_t *greatest) {
  *greatest = 0;
  for (int slot = 0; slot < SFNEC_FOLDER_STATES; slot++) {
    char path[SFNEC_FOLDER_PATH];
    sfnec_folder_state(folder, slot, path);
    known[slot] = !sfnec_folder_has(path);
    if (known[slot]) continue;
    sfnec_reader *reader = NULL;
    const sfnec_status status = open_state(path, &reader);
    if (is_damage(status)) continue;
    if (status) return status;
    const uint64_t sequence = sfnec_run_read_sequence(reader);
    if (sequence > *greatest) *greatest = sequence;
    sfnec_reader_close(reader);
  }
  return SFNEC_OK;
}

// Makes the folder the run's own: finds out which states are there. Not to know which keys they need costs nothing but
// the removal of old ones.
static sfnec_status take_folder(sfnec_run *run, const char *folder) {
  sfnec_saved *saved = &run->saved;
  sfnec_status status = sfnec_folder_make(folder);
  if (status || (saved->folder && strcmp(saved->folder, folder) == 0)) return status;
  bool known[SFNEC_FOLDER_STATES];
  uint64_t sequence;
  status = find_sequence(folder, known, &sequence);
  if (status) return status;
  char *copy = strdup(folder);
  if (!copy) return sfnec_fail_memory("a checkpoint");
  free(saved->folder);
  saved->folder = copy;
  saved->sequence = sequence;
  for (int slot = 0; slot < SFNEC_FOLDER_STATES; slot++) {
    saved->digests[slot].count = 0;
    saved->known[slot] = known[slot];
  }
  sfnec_folder_clean(folder, NULL);
  return SFNEC_OK;
}

// The digests of the keys that the agent's state refers to, in a new list.
static sfnec_status list_digests(const sfnec_agent *agent, sfnec_digests *out) {
  const uint32_t tasks = sfnec_agent_get_task_count(agent);
  *out = (sfnec_digests){.items = malloc((tasks + (size_t)1) * sizeof *out->items)};
  if (!out->items) return sfnec_fail_memory("a checkpoint");
  for (uint32_t i = 0; i < tasks; i++) {
    const uint64_t digest = sfnec_agent_keys_apart(agent, i);
    if (digest != 0) out->items[out->count++] = digest;
  }
  return SFNEC_OK;
}

// Writes the keys that no state of this run refers to yet, or whose file has gone.
static sfnec_status write_keys(const sfnec_run *run) {
  const sfnec_saved *saved = &run->saved;
  for (uint32_t i = 0; i < sfnec_agent_get_task_count(run->play.agent); i++) {
    const uint64_t digest = sfnec_agent_keys_apart(run->play.agent, i);
    if (digest == 0) continue;
    char path[SFNEC_FOLDER_PATH];
    sfnec_folder_keys(saved->folder, digest, path);
    const bool written =
        sfnec_digests_hold(&saved->digests[0], digest) || sfnec_digests_hold(&saved->digests[1], digest);
    if (written && sfnec_folder_has(path)) continue;
    sfnec_writer *writer;
    sfnec_status status = sfnec_writer_open(path, keys_magic, KEYS_VERSION, &writer);
    if (status) return status;
    sfnec_agent_write_keys(run->play.agent, i, writer);
    status = sfnec_writer_commit(writer);
    if (status) return status;
  }
  return SFNEC_OK;
}

static sfnec_status write_state(const sfnec_run *run, uint64_t sequence, const char *label) {
  char path[SFNEC_FOLDER_PATH];
  sfnec_folder_state(run->saved.folder, slot_of(sequence), path);
  sfnec_writer *writer;
  sfnec_status status = sfnec_writer_open(path, state_magic, state_version(), &writer);
  if (status) return status;
  status = sfnec_run_write(run, sequence, label, true, writer);
  if (!status) return sfnec_writer_commit(writer);
  sfnec_writer_abort(writer);
  return status;
}

sfnec_status sfnec_run_save(sfnec_run *run, const char *folder, const char *label) {
  if (!run) return sfnec_fail_null(__func__);
  sfnec_saved *saved = &run->saved;
  sfnec_digests digests = {0};
  sfnec_status status = sfnec_folder_check(folder);
  if (!status && (!label || strlen(label) > UINT16_MAX)) {
    status = sfnec_fail(SFNEC_ERROR_ARGUMENT, "a checkpoint's label must be a text of at most %d bytes", UINT16_MAX);
  }
  const sfnec_env_kind *kind = sfnec_env_get_kind(run->play.env);
  if (!status && kind->destroy) {
    status = sfnec_fail(SFNEC_ERROR_STATE, "environment %s lives outside of this program: a run in it cannot be saved",
                        kind->name);
  }
  if (!status) status = take_folder(run, folder);
  if (!status) status = list_digests(run->play.agent, &digests);
  if (!status) status = write_keys(run);
  if (!status) status = write_state(run, saved->sequence + 1, label);
  if (status) {
    free(digests.items);
    return status;
  }
  const int slot = slot_of(++saved->sequence);
  free(saved->digests[slot].items);
  saved->digests[slot] = digests;
  saved->known[slot] = true;
  if (saved->known[0] && saved->known[1]) sfnec_folder_clean(folder, saved->digests);
  return SFNEC_OK;
}

// ---- resuming ----

static sfnec_status open_keys(const void *folder, uint64_t digest, sfnec_reader **out) {
  char path[SFNEC_FOLDER_PATH];
  sfnec_folder_keys(folder, digest, path);
  if (!sfnec_folder_has(path)) return sfnec_fail(SFNEC_ERROR_FORMAT, "%s is missing", path);
  return sfnec_reader_open(path, keys_magic, KEYS_VERSION, "a file of keys", out);
}

// One of the two states of a folder.
typedef struct candidate {
  char path[SFNEC_FOLDER_PATH];
  sfnec_reader *reader; // NULL: there is no whole file
  uint64_t sequence;
} candidate;

// The first damage that was met.
typedef struct damage {
  sfnec_status status; // SFNEC_OK: none
  char sentence[SENTENCE];
} damage;

static void note(damage *damage, sfnec_status status) {
  if (damage->status) return;
  damage->status = status;
  snprintf(damage->sentence, sizeof damage->sentence, "%s", sfnec_last_error());
}

// Opens the states that are whole and puts the newer one first. Fails when one cannot be read.
static sfnec_status find_candidates(const char *folder, candidate candidates[SFNEC_FOLDER_STATES], damage *damage) {
  for (int slot = 0; slot < SFNEC_FOLDER_STATES; slot++) {
    candidate *each = &candidates[slot];
    sfnec_folder_state(folder, slot, each->path);
    if (!sfnec_folder_has(each->path)) continue;
    const sfnec_status status = open_state(each->path, &each->reader);
    if (status && !is_damage(status)) return status;
    if (status) note(damage, status);
    else each->sequence = sfnec_run_read_sequence(each->reader);
  }
  if (candidates[1].sequence > candidates[0].sequence) {
    const candidate newer = candidates[1];
    candidates[1] = candidates[0];
    candidates[0] = newer;
  }
  return SFNEC_OK;
}

// Remembers what the folder holds, so that the next save goes to the other slot.
static sfnec_status adopt(sfnec_run *run, const char *folder, uint64_t sequence) {
  sfnec_saved *saved = &run->saved;
  saved->folder = strdup(folder);
  if (!saved->folder) return sfnec_fail_memory("a checkpoint");
  saved->sequence = sequence;
  saved->known[slot_of(sequence)] = true;
  return list_digests(run->play.agent, &saved->digests[slot_of(sequence)]);
}

// Goes on from one state. Damage is noted and leaves *out NULL; a whole state of another run is no damage but a
// failure.
static sfnec_status resume_from(candidate *from, const char *folder, const char *label, sfnec_env *env,
                                const sfnec_run_options *options, sfnec_run **out, damage *damage) {
  sfnec_run *run;
  sfnec_status status = sfnec_run_read_identity(from->reader, from->path, label, env, options, &run);
  if (status) return status;
  const sfnec_keys_source source = {.open = open_keys, .context = folder};
  status = sfnec_run_read(run, from->reader, &source);
  if (!status) status = adopt(run, folder, from->sequence);
  if (!status) {
    *out = run;
    return SFNEC_OK;
  }
  sfnec_agent_destroy(run->play.agent);
  sfnec_run_destroy(run);
  if (!is_damage(status)) return status;
  note(damage, status);
  return SFNEC_OK;
}

sfnec_status sfnec_run_resume(const char *folder, const char *label, sfnec_env *env, const sfnec_run_options *options,
                              sfnec_agent **agent, sfnec_run **out, char warning[SFNEC_RUN_WARNING]) {
  if (!agent || !out || !warning) return sfnec_fail_null(__func__);
  *agent = NULL;
  *out = NULL;
  warning[0] = '\0';
  if (!label || !env || !options) return sfnec_fail_null(__func__);
  sfnec_status status = sfnec_folder_check(folder);
  if (status) return status;

  candidate candidates[SFNEC_FOLDER_STATES] = {{.reader = NULL}};
  damage damage = {.status = SFNEC_OK};
  status = find_candidates(folder, candidates, &damage);
  for (int i = 0; i < SFNEC_FOLDER_STATES && !status && !*out; i++) {
    if (!candidates[i].reader) continue;
    status = resume_from(&candidates[i], folder, label, env, options, out, &damage);
    if (*out && damage.status) {
      snprintf(warning, SFNEC_RUN_WARNING, "%.320s; the run resumes from %.140s instead", damage.sentence,
               candidates[i].path);
    }
  }
  for (int i = 0; i < SFNEC_FOLDER_STATES; i++) sfnec_reader_close(candidates[i].reader);
  if (*out) *agent = (*out)->play.agent;
  if (status || *out || !damage.status) return status;
  return sfnec_fail(damage.status, "%s; no good checkpoint is left in %s: remove it to begin again", damage.sentence,
                    folder);
}
