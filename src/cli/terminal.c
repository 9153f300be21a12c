// terminal.c: the whole terminal for one command; see terminal.h.
//
// All signals that matter are blocked except while the program waits in pselect, so they are handled between two
// redraws and their handlers only leave a mark. Those that end the program at once restore the terminal themselves,
// by functions that a handler may call.
#include "cli/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

#include "cli/cli.h"

// another screen, no cursor, no wrapping; and back
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char leave[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

// handlers reach only these
static struct termios before;
static volatile sig_atomic_t taken_over; // the terminal is in our state
static bool opened;
static volatile sig_atomic_t end_asked, stop_asked, redraw_asked;

static const int awaited[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};
static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { AWAITED = sizeof awaited / sizeof *awaited, DEADLY = sizeof deadly / sizeof *deadly };

// the mask and the actions that the program had
static sigset_t mask_before, mask_waiting;
static struct sigaction awaited_before[AWAITED], deadly_before[DEADLY];

// keys that were read and not yet handed out
static unsigned char pending[64];
static size_t pending_count;

// ---- taking over, and giving back ----

static void give_back(void) {
  if (!taken_over) return;
  taken_over = 0;
  (void)!write(STDOUT_FILENO, leave, sizeof leave - 1);
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
}

static int take_over(void) {
  struct termios raw = before;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) != 0) return fail("cannot set up the terminal: %s", strerror(errno));
  taken_over = 1;
  return terminal_write(enter);
}

static void note_signal(int signal) {
  if (signal == SIGWINCH) redraw_asked = 1;
  else if (signal == SIGTSTP) stop_asked = 1;
  else end_asked = 1;
}

static void die_tidily(int signal) {
  give_back();
  // the default action is back by SA_RESETHAND
  raise(signal);
}

static void catch_all(const int *signals, int count, void (*handler)(int), int flags, struct sigaction *old) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < count; i++) sigaction(signals[i], &action, &old[i]);
}

int terminal_open(const char *command) {
  static bool at_exit;
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0)
    return fail("%s plays in a terminal, but standard %s is none; sfnec film makes pictures without one", command,
                isatty(STDIN_FILENO) ? "output" : "input");
  if (!at_exit) atexit(terminal_close);
  at_exit = true;
  opened = true;
  end_asked = stop_asked = redraw_asked = 0;
  pending_count = 0;
  sigset_t blocked;
  sigemptyset(&blocked);
  for (int i = 0; i < AWAITED; i++) sigaddset(&blocked, awaited[i]);
  sigprocmask(SIG_BLOCK, &blocked, &mask_before);
  mask_waiting = mask_before;
  for (int i = 0; i < AWAITED; i++) sigdelset(&mask_waiting, awaited[i]);
  catch_all(awaited, AWAITED, note_signal, 0, awaited_before);
  catch_all(deadly, DEADLY, die_tidily, (int)SA_RESETHAND, deadly_before);
  const int code = take_over();
  if (code) terminal_close();
  return code;
}

void terminal_close(void) {
  if (!opened) return;
  opened = false;
  give_back();
  for (int i = 0; i < DEADLY; i++) sigaction(deadly[i], &deadly_before[i], NULL);
  for (int i = 0; i < AWAITED; i++) sigaction(awaited[i], &awaited_before[i], NULL);
  sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

// ---- what it shows ----

bool terminal_size(int file, int *columns, int *rows) {
  struct winsize size = {0};
  const bool known = ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  *columns = known ? size.ws_col : 80;
  *rows = known && size.ws_row > 0 ? size.ws_row : 24;
  return known;
}

int terminal_write(const char *text) {
  for (size_t left = strlen(text); left > 0;) {
    const ssize_t written = write(STDOUT_FILENO, text, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int why = errno;
      give_back();
      return fail("cannot write to the terminal: %s", strerror(why));
    }
    text += written;
    left -= (size_t)written;
  }
  return EXIT_OK;
}

int terminal_colours(void) {
  const char *none = getenv("NO_COLOR"), *term = getenv("TERM"), *true_colour = getenv("COLORTERM");
  if ((none && none[0]) || !term || strcmp(term, "dumb") == 0) return 0;
  return strstr(term, "256") || (true_colour && true_colour[0]) ? 256 : 8;
}

int terminal_unicode(void) {
  // the first of these that is set decides, as in setlocale
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (int i = 0; i < 3; i++) {
    const char *value = getenv(names[i]);
    if (value && value[0])
      return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") || strstr(value, "utf-8");
  }
  return false;
}

// ---- waiting ----

// until something can be read: 1; the time has passed: 0; a signal: -1
static int wait_input(double seconds) {
  fd_set input;
  FD_ZERO(&input);
  FD_SET(STDIN_FILENO, &input);
  if (seconds < 0) seconds = 0;
  const struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  return pselect(STDIN_FILENO + 1, &input, NULL, NULL, &time, &mask_waiting);
}

static bool read_more(void) {
  const ssize_t got = read(STDIN_FILENO, pending + pending_count, sizeof pending - pending_count);
  if (got <= 0) return got < 0 && errno == EINTR;
  pending_count += (size_t)got;
  return true;
}

static void drop(size_t count) {
  pending_count -= count;
  memmove(pending, pending + count, pending_count);
}

// an arrow is ESC [ A or ESC O A; other sequences are swallowed to their last letter
static int next_key(void) {
  static const int arrows[] = {TERMINAL_UP, TERMINAL_DOWN, TERMINAL_RIGHT, TERMINAL_LEFT};
  if (pending[0] != 033) {
    const int key = pending[0];
    drop(1);
    return key;
  }
  // the rest of a sequence follows at once
  while (pending_count < 3 && wait_input(0.03) > 0 && read_more()) {
  }
  if (pending_count < 2 || (pending[1] != '[' && pending[1] != 'O')) {
    drop(1);
    return TERMINAL_NOTHING;
  }
  size_t end = 2;
  while (end < pending_count && (pending[end] < '@' || pending[end] > '~')) end++;
  const int last = end < pending_count ? pending[end] : 0;
  const bool plain = end == 2;
  drop(end < pending_count ? end + 1 : pending_count);
  return plain && last >= 'A' && last <= 'D' ? arrows[last - 'A'] : TERMINAL_NOTHING;
}

// stops as the default action would, with the terminal as it was; the shell continues it
static int stop_here(void) {
  give_back();
  kill(getpid(), SIGSTOP);
  return take_over() ? TERMINAL_ENDED : TERMINAL_REDRAW;
}

int terminal_wait(double seconds) {
  if (!pending_count) {
    const int ready = wait_input(seconds);
    if (ready > 0 && !read_more()) return TERMINAL_ENDED;
  }
  if (end_asked) return TERMINAL_ENDED;
  if (stop_asked) {
    stop_asked = 0;
    return stop_here();
  }
  if (redraw_asked) {
    redraw_asked = 0;
    return TERMINAL_REDRAW;
  }
  return pending_count ? next_key() : TERMINAL_NOTHING;
}
