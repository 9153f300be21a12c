// encoder.c: the program ffmpeg at the other end of a pipe; see encoder.h.
#include "show/play/encoder.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

extern char **environ;

static sfnec_status refuse(int why) {
  if (why == ENOENT)
    return sfnec_fail(SFNEC_ERROR_IO,
                      "the program ffmpeg, which makes mp4 films, was not found: install ffmpeg, or make "
                      "a gif");
  return sfnec_fail(SFNEC_ERROR_IO, "cannot start ffmpeg: %s", strerror(why));
}

// ffmpeg reads the pipe and says nothing
static int spawn(sfnec_encoder *encoder, int input, char *const *arguments) {
  posix_spawn_file_actions_t actions;
  int why = posix_spawn_file_actions_init(&actions);
  if (why) return why;
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  why = posix_spawnp(&encoder->process, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return why;
}

sfnec_status sfnec_encoder_start(sfnec_encoder *encoder, int width, int height, int rate, const char *path) {
  *encoder = SFNEC_ENCODER_NONE;
  char size[32], speed[16], target[4096];
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(speed, sizeof speed, "%d", rate);
  // the prefix keeps ffmpeg from taking a name with a colon for a protocol
  if (snprintf(target, sizeof target, "file:%s", path) >= (int)sizeof target)
    return sfnec_fail(SFNEC_ERROR_IO, "the path of the film is too long: %.100s", path);
  const char *arguments[] = {"ffmpeg",   "-hide_banner", "-loglevel", "quiet",   "-f",         "rawvideo",
                             "-pix_fmt", "bgr0",         "-s",        size,      "-framerate", speed,
                             "-i",       "pipe:0",       "-pix_fmt",  "yuv420p", "-movflags",  "+faststart",
                             "-f",       "mp4",          "-y",        target,    NULL};
  int ends[2];
  if (pipe(ends) != 0) return refuse(errno);
  // ffmpeg must not hold the writing end, or it would wait for itself
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  encoder->pipe = ends[1];
  const int why = spawn(encoder, ends[0], (char *const *)arguments);
  close(ends[0]);
  if (!why) return SFNEC_OK;
  encoder->process = 0;
  return refuse(why);
}

sfnec_status sfnec_encoder_write(sfnec_encoder *encoder, const void *bytes, size_t size) {
  for (const char *at = bytes; size > 0;) {
    const ssize_t written = write(encoder->pipe, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return sfnec_fail(SFNEC_ERROR_IO, "ffmpeg stopped in the middle of the film: is the disk full?");
    at += written;
    size -= (size_t)written;
  }
  return SFNEC_OK;
}

sfnec_status sfnec_encoder_end(sfnec_encoder *encoder, sfnec_status status) {
  if (encoder->pipe >= 0) close(encoder->pipe);
  encoder->pipe = -1;
  if (!encoder->process) return status;
  int result = 0;
  pid_t ended;
  do ended = waitpid(encoder->process, &result, 0);
  while (ended < 0 && errno == EINTR);
  encoder->process = 0;
  if (status) return status;
  if (ended > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 0) return SFNEC_OK;
  if (ended > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 127) return refuse(ENOENT);
  return sfnec_fail(SFNEC_ERROR_IO, "ffmpeg could not make the film (exit %d): does it know the format mp4?",
                    WIFEXITED(result) ? WEXITSTATUS(result) : -1);
}
