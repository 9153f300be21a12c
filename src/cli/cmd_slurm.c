// cmd_slurm.c: `sfnec slurm`: a batch script that runs a study on a cluster, under MPI or as one array task per seed.
//
// The script only calls `sfnec run`, so what it leaves is what any other run leaves. srun starts the program: Slurm
// then sends the signal before the time limit to the program itself, which saves and ends.
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study.h"

// Slurm's own default for the greatest index of an array (MaxArraySize - 1)
enum { GREATEST_INDEX = 1000 };

typedef struct slurm_args {
  bool array, mpi;
  int64_t nodes, per_node;
  const char *time, *partition;
} slurm_args;

static int run_slurm(const void *values, const text_list *operands);

static const arg table[] = {
    {"mpi", ARG_FLAG, offsetof(slurm_args, mpi), NULL, NULL, 0, 0, "one MPI job, results in one folder (the default)"},
    {"array", ARG_FLAG, offsetof(slurm_args, array), NULL, NULL, 0, 0,
     "an array with one task per seed, each with its own folder DIR/seed-N"},
    {"nodes", ARG_INT, offsetof(slurm_args, nodes), "N", NULL, 1, 100000, "nodes of the MPI job (default 1)"},
    {"tasks-per-node", ARG_INT, offsetof(slurm_args, per_node), "N", NULL, 1, 100000,
     "jobs at the same time on a node: ranks, or cores of an array task (default: as needed, at most 32)"},
    {"time", ARG_TEXT, offsetof(slurm_args, time), "HH:MM:SS", "24:00:00", 0, 0, "time limit"},
    {"partition", ARG_TEXT, offsetof(slurm_args, partition), "NAME", NULL, 0, 0, "partition to submit to"},
    {0},
};

const command command_slurm = {
    .name = "slurm",
    .summary = "print a Slurm batch script that runs a study",
    .operands = "SPEC [-- OPTIONS OF sfnec run]",
    .more_operands = true,
    .about = "Prints a batch script: sfnec slurm main.yaml > job.sh; sbatch job.sh. What follows -- goes to\n"
             "sfnec run. Before the time limit everything is saved; submit the same script again to resume.",
    .args = table,
    .values_size = sizeof(slurm_args),
    .run = run_slurm,
};

// what the script is made of
typedef struct script {
  const slurm_args *args;
  const text_list *operands; // the spec, then words for sfnec run
  run_args run;              // the values of those words
  sfnec_python *python;
  sfnec_spec *spec;
  sfnec_plan *plan;
} script;

// ---- the options of sfnec run ----

// reads the words after "--" as sfnec run will, which may have asked for its help
static int read_run_words(script *script, bool *helped) {
  const text_list *words = script->operands;
  // without "--" a second operand is a slip
  if (words->count > 1 && words->items[1][0] != '-')
    return misuse("slurm does not know what to do with '%s'; options of sfnec run come after --", words->items[1]);
  text_list spec = {0};
  text_push(&spec, words->items[0]);
  const int code = args_parse(&command_run, (int)words->count - 1, words->items + 1, &script->run, &spec, helped);
  text_clear(&spec);
  if (!code && script->run.study.force_new)
    return misuse("slurm: --force-new in the script would start again after every time limit; run it once by hand");
  return code;
}

// ---- checks ----

// "MM", "MM:SS", "HH:MM:SS", and "D-" before hours: D-HH, D-HH:MM, D-HH:MM:SS
static const char time_pattern[] = "^([0-9]+-)?[0-9]+(:[0-9]+){0,2}$";
// a line of #SBATCH is no shell: what would need quotes there is refused
static const char word_pattern[] = "^[A-Za-z0-9_.,-]+$";

static bool matches(const char *text, const char *pattern, size_t longest) {
  regex_t compiled;
  if (strlen(text) > longest || regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB)) return false;
  const bool found = regexec(&compiled, text, 0, NULL, 0) == 0;
  regfree(&compiled);
  return found;
}

static int check(const script *script) {
  const slurm_args *args = script->args;
  if (args->array && args->mpi) return misuse("slurm takes --array or --mpi, not both");
  if (args->array && args->nodes > 1) return misuse("slurm --nodes goes with --mpi: an array task runs on one node");
  if (!matches(args->time, time_pattern, 20))
    return misuse("slurm --time is '%s' but must be like 12:00:00 or 2-00:00:00", args->time);
  if (args->partition && !matches(args->partition, word_pattern, 100))
    return misuse("slurm --partition is '%s' but must be a name as sinfo shows it", args->partition);
  if (args->array && script->spec->seed_count > GREATEST_INDEX + 1)
    return misuse("slurm --array has room for %d seeds, not for %zu; use --mpi, or -- --seeds for a part of them",
                  GREATEST_INDEX + 1, script->spec->seed_count);
  return EXIT_OK;
}

// ---- printing ----

static void print_folder(const script *script, const char *before) {
  char *folder = run_folder(&script->run, script->spec);
  text_print_quoted(stdout, before, folder);
  free(folder);
}

// a file whose name begins with a dash would be taken for an option
static void print_run(const script *script) {
  const char *path = script->operands->items[0];
  printf(" \"${SFNEC:-sfnec}\" run");
  text_print_quoted(stdout, path[0] == '-' ? " ./" : " ", path);
}

static void print_run_words(const script *script) {
  for (size_t i = 1; i < script->operands->count; i++) text_print_quoted(stdout, " ", script->operands->items[i]);
}

static void print_head(const script *script) {
  const slurm_args *args = script->args;
  // names of a spec are plain words, so nothing here can leave its comment
  printf(
      "#!/bin/bash\n"
      "# The study %s: %zu configurations, %zu seeds. Submit it from the folder in which it was made:\n"
      "#   sbatch job.sh\n"
      "# A minute before the time limit Slurm sends TERM; sfnec run then saves every running job and ends with status\n"
      "# 130. To resume, submit the same script again: only what is missing is run. To queue that at once:\n"
      "#   sbatch --dependency=afterany:JOBID job.sh\n"
      "# SFNEC is the program, if it is not in the PATH.\n"
      "#SBATCH --job-name=%s\n#SBATCH --time=%s\n#SBATCH --signal=TERM@60\n",
      script->spec->name, script->plan->configuration_count, script->spec->seed_count, script->spec->name, args->time);
  if (args->partition) printf("#SBATCH --partition=%s\n", args->partition);
}

static int64_t per_node(const script *script, size_t needed) {
  enum { MOST = 32 };
  if (script->args->per_node) return script->args->per_node;
  return needed < MOST ? (int64_t)needed : MOST;
}

static void print_mpi(const script *script) {
  const int64_t nodes = script->args->nodes ? script->args->nodes : 1;
  // rank 0 hands out the jobs
  const int64_t ranks = per_node(script, script->plan->job_count + 1);
  printf("#SBATCH --nodes=%" PRId64 "\n#SBATCH --ntasks-per-node=%" PRId64 "\n#SBATCH --cpus-per-task=1\n\n"
         "set -eu\n\n"
         "# All ranks work on one experiment. Which MPI srun speaks is said by SLURM_MPI_TYPE or by the cluster; where "
         "neither\n"
         "# does, it is pmix, as Open MPI wants it. If srun starts %" PRId64
         " programs that do not know of each other (sfnec\n"
         "# run then says that the folder is in use), export another one of srun --mpi=list.\n"
         "if [ -z \"${SLURM_MPI_TYPE:-}\" ] && scontrol show config 2>/dev/null | grep -q '^MpiDefault *= *none$' &&\n"
         "  srun --mpi=list 2>&1 | grep -qw pmix; then\n"
         "  export SLURM_MPI_TYPE=pmix\n"
         "fi\n"
         "mkdir -p --",
         nodes, ranks, nodes * ranks);
  print_folder(script, " ");
  printf("\nsrun");
  print_run(script);
  print_run_words(script);
  if (!script->run.study.out) print_folder(script, " -o ");
  printf("\n");
}

// the greatest seed must be an index of an array; else the array counts and the script holds the seeds
static void print_array_seeds(const script *script) {
  const sfnec_spec *spec = script->spec;
  bool direct = true;
  for (size_t i = 0; i < spec->seed_count; i++) direct = direct && spec->seeds[i] <= GREATEST_INDEX;
  printf("#SBATCH --array=");
  if (direct) sfnec_seeds_print(stdout, spec->seeds, spec->seed_count);
  else printf("0-%zu", spec->seed_count - 1);
  printf("\n\nset -eu\n\nindex=${SLURM_ARRAY_TASK_ID:?submit this script with sbatch}\n");
  if (direct) {
    printf("seed=$index\n");
    return;
  }
  printf("seeds=(");
  for (size_t i = 0; i < spec->seed_count; i++) printf("%s%" PRIu64, i ? " " : "", spec->seeds[i]);
  printf(")\nseed=${seeds[$index]}\n");
}

static void print_array(const script *script) {
  printf("#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%" PRId64 "\n",
         per_node(script, script->plan->configuration_count));
  print_array_seeds(script);
  printf("cpus=${SLURM_CPUS_PER_TASK:-1}\n\n"
         "# Each seed is an experiment of its own; sfnec run with all seeds and --mpi has them in one folder.\n");
  print_folder(script, "folder=");
  printf("/seed-$seed\nmkdir -p -- \"$folder\"\nsrun --cpus-per-task=\"$cpus\"");
  print_run(script);
  printf(" --jobs \"$cpus\"");
  print_run_words(script);
  // the last one counts
  printf(" --seeds \"$seed\" -o \"$folder\"\n");
}

static int make(script *script) {
  bool helped = false;
  int code = read_run_words(script, &helped);
  if (code || helped) return code;
  code = code_of(run_load(&script->run, script->python, script->operands->items[0], &script->spec));
  if (!code) code = code_of(sfnec_plan_create(script->spec, &script->plan));
  if (!code) code = check(script);
  if (code) return code;
  print_head(script);
  if (script->args->array) print_array(script);
  else print_mpi(script);
  return EXIT_OK;
}

static int run_slurm(const void *values, const text_list *operands) {
  script script = {.args = values, .operands = operands, .python = must_python()};
  const int code = make(&script);
  args_clear(&command_run, &script.run);
  sfnec_plan_destroy(script.plan);
  sfnec_spec_destroy(script.spec);
  sfnec_python_destroy(script.python);
  return code;
}
