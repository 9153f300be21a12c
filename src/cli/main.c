// main.c: the sfnec command: finds the subcommand and hands over.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/crash.h"

const command *const commands[] = {
    &command_run,      &command_status,     &command_stats, &command_plot,    &command_report, &command_export,
    &command_export_c, &command_slurm,      &command_train, &command_compare, &command_learn,  &command_cover,
    &command_eval,     &command_watch,      &command_film,  &command_inspect, &command_list,   &command_new_env,
    &command_clean,    &command_completion, NULL,
};

static const command *find(const char *name) {
  for (size_t i = 0; commands[i]; i++)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  return NULL;
}

static int refuse(const char *name) {
  const char *nearest = NULL;
  for (size_t i = 0; commands[i]; i++) nearest = sfnec_text_nearer(name, nearest, commands[i]->name);
  nearest = sfnec_text_nearer(name, nearest, "help");
  char hint[TEXT_HINT];
  return misuse("there is no command '%s'%s (see sfnec --help)", name, text_hint("", nearest, hint));
}

static int help(void) {
  printf("usage: sfnec COMMAND [options]\n\n"
         "Successor Feature Neural Episodic Control: agents that learn from few steps and reuse what\n"
         "they learned when the reward changes.\n\ncommands:\n");
  for (size_t i = 0; commands[i]; i++) printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
  printf("  %-10s %s\n\n", "help", "show the help of a command: sfnec help train");
  printf("sfnec --version (-V) prints the version, sfnec COMMAND --help the options of a command.\n"
         "Exit status: 0 done, 1 the job failed, 2 wrong use, 130 interrupted.\n");
  return EXIT_OK;
}

static int help_about(int argc, char **argv) {
  if (argc == 0) return help();
  if (argc > 1) return misuse("help takes one command, not '%s' as well", argv[1]);
  const command *command = find(argv[0]);
  if (!command) return refuse(argv[0]);
  args_help(command);
  return EXIT_OK;
}

static int run(const command *command, int argc, char **argv) {
  void *values = must_alloc(1, command->values_size);
  text_list operands = {0};
  bool helped = false;
  int code = args_parse(command, argc, argv, values, &operands, &helped);
  if (!code && !helped) code = command->run(values, &operands);
  text_clear(&operands);
  args_clear(command, values);
  free(values);
  return code;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) return misuse("no command was given; see sfnec --help");
  const char *name = argv[1];
  if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
    printf("sfnec %s\n", sfnec_version());
    return EXIT_OK;
  }
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return help();
  if (strcmp(name, "help") == 0) return help_about(argc - 2, argv + 2);
  if (name[0] == '-') return misuse("options come after the command, but '%s' came first; see sfnec --help", name);
  const command *command = find(name);
  return command ? run(command, argc - 2, argv + 2) : refuse(name);
}

// a closed standard stream would give its number to the next file that is opened, and the table would land there; a
// stream that cannot be written is reported like any other failure
static void guard_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
    if (fcntl(stream, F_GETFD) < 0) (void)!open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv) {
  guard_streams();
  crash_guard();
  // a closed pipe ends a command, but not before what it has learned is saved
  signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
  signal(SIGXFSZ, SIG_IGN); // so is a file that gets larger than ulimit allows
#endif
  const int code = dispatch(argc, argv);
  const int written = flush_output();
  crash_done();
  return code ? code : written;
}
