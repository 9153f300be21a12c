// terminal.h: the whole terminal for one command: its keys, its size, and its state as it was before.
//
// However the program ends, by itself, by exit() or by a signal that can be caught, the terminal gets its state back;
// Ctrl-Z gives it back for as long as the program is stopped. There is one terminal, so there is no handle.
#ifndef SFNEC_CLI_TERMINAL_H
#define SFNEC_CLI_TERMINAL_H

#include <stdbool.h>

// What terminal_wait reports: a character, or one of these.
enum {
  TERMINAL_NOTHING = -1, // the time has passed
  TERMINAL_REDRAW = -2,  // another size, or back from Ctrl-Z
  TERMINAL_ENDED = -3,   // Ctrl-C, SIGTERM, or the terminal is gone
  TERMINAL_UP = 256,
  TERMINAL_DOWN,
  TERMINAL_LEFT,
  TERMINAL_RIGHT,
};

// Takes the terminal over: a screen of its own, no cursor, keys at once. Refuses when standard input or output is no
// terminal; `command` is for the sentence.
int terminal_open(const char *command);
void terminal_close(void); // also when it is not open

// Columns and rows of the terminal behind a file, taken over or not; 80 and 24 where it does not say. False if it does
// not say its columns.
bool terminal_size(int file, int *columns, int *rows);
// Writes a text as a whole; fails when the terminal is gone.
int terminal_write(const char *text);
// Waits for a key or a signal, at most so many seconds.
int terminal_wait(double seconds);

// How many colours the terminal shows: 0 (also when NO_COLOR is set), 8 or 256; and whether it shows UTF-8.
int terminal_colours(void);
int terminal_unicode(void);

#endif
