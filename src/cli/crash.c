// crash.c: the last words of a command that does not come to its end; see crash.h.
//
// Plugins run in the process of the command, so that nothing can be saved after they have crashed, and what was saved
// before is all there is. The handler makes system calls alone.
#define _GNU_SOURCE // registers of a signal's context NOLINT(bugprone-reserved-identifier)
#include "cli/crash.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__) && defined(__GLIBC__)
#include <ucontext.h>
#endif

#include "cli/cli.h"

// the sanitizers report more about a crash than we can
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CRASHES_ARE_TOLD 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CRASHES_ARE_TOLD 0
#endif
#endif
#ifndef CRASHES_ARE_TOLD
#define CRASHES_ARE_TOLD 1
#endif

static volatile sig_atomic_t done;

static void say(const char *text) {
  (void)!write(STDERR_FILENO, text, strlen(text));
}

// ---- whose code ----

// Where the program was when the signal came; 0: unknown on this machine.
static uintptr_t address_of(const void *context) {
#if defined(__linux__) && defined(__GLIBC__) && defined(__x86_64__)
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__linux__) && defined(__GLIBC__) && defined(__aarch64__)
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

// A hexadecimal number; what follows it is left in *text.
static uintptr_t read_address(const char **text) {
  uintptr_t number = 0;
  for (;; (*text)++) {
    const char c = **text;
    if (c >= '0' && c <= '9') number = number << 4 | (uintptr_t)(c - '0');
    else if (c >= 'a' && c <= 'f') number = number << 4 | (uintptr_t)(c - 'a' + 10);
    else return number;
  }
}

// Says the file of a line of /proc/self/maps ("from-to rights offset device inode path") if the address is in it.
static bool say_file(const char *line, uintptr_t address) {
  const char *at = line;
  const uintptr_t from = read_address(&at);
  if (*at++ != '-') return false;
  const uintptr_t to = read_address(&at);
  const char *path = strchr(at, '/');
  if (address < from || address >= to || !path) return false;
  say(" in ");
  say(path);
  return true;
}

static void say_place(uintptr_t address) {
  const int maps = address ? open("/proc/self/maps", O_RDONLY | O_CLOEXEC) : -1;
  if (maps < 0) return;
  char line[512];
  size_t length = 0;
  bool said = false;
  for (char c; !said && read(maps, &c, 1) == 1;) {
    if (c != '\n') {
      if (length + 1 < sizeof line) line[length++] = c;
      continue;
    }
    line[length] = '\0';
    said = say_file(line, address);
    length = 0;
  }
  close(maps);
}

// ---- crashes ----

static const struct {
  int number;
  const char *name;
} crashes[] = {
    {SIGSEGV, "a bad address"},    {SIGBUS, "a bad address"}, {SIGFPE, "a bad number"},
    {SIGILL, "a bad instruction"}, {SIGABRT, "abort()"},
};

static void tell_crash(int number, siginfo_t *info, void *context) {
  (void)info;
  const char *name = "a signal";
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
    if (crashes[i].number == number) name = crashes[i].name;
  say("sfnec: crashed by ");
  say(name);
  if (number != SIGABRT) say_place(address_of(context)); // that one comes from the C library, whoever asked for it
  say("; what was saved before is whole, and the same command resumes from it\n");
  // the handler was for one signal: this one ends the program
  raise(number);
}

// ---- exit() ----

static void check_end(void) {
  if (done) return;
  say("sfnec: the program was ended by exit() in the middle of its work, as by a plugin; a plugin fails by a status "
      "instead (sfnec_set_error)\n");
  _exit(EXIT_FAILED);
}

void crash_guard(void) {
  (void)atexit(check_end);
  if (!CRASHES_ARE_TOLD) return;
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESETHAND};
  action.sa_sigaction = tell_crash;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigaction(crashes[i].number, &action, NULL);
}

void crash_done(void) {
  done = 1;
}
