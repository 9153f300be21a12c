// checkpoint.h: the run whose checkpoints fuzz_checkpoint.c reads and seeds.c writes.
#ifndef SFNEC_TESTS_FUZZ_CHECKPOINT_H
#define SFNEC_TESTS_FUZZ_CHECKPOINT_H

#include "fuzz.h"
#include "run/run_file.h"

static const char checkpoint_magic[] = "SFNECRUN", checkpoint_label[] = "fuzz";
static const sfnec_run_options checkpoint_options = {.tasks = 3, .steps = 12, .keep_episodes = true};

// An input: one byte for the world, one for the version, two for the size of the keys that are kept apart, these keys,
// the payload of the state.
enum { CHECKPOINT_HEAD = 4 };

#endif
