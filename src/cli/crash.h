// crash.h: the last words of a command that does not come to its end: a crash, or a plugin that ends the program.
#ifndef SFNEC_CLI_CRASH_H
#define SFNEC_CLI_CRASH_H

// From now on a crash is reported in one sentence that names the file whose code crashed, and ends by the same signal;
// and a call of exit() by anything but this command is a failure with a sentence, never a success without results.
void crash_guard(void);
// The command has come to its end: exit() is its own from now on.
void crash_done(void);

#endif
