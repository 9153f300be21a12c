// frame.c: tagged blocks of bytes over a socket; see frame.h.
#include "study/work/frame.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { TICK = 100, FIRST = 1 << 16 }; // milliseconds between two questions; bytes that a claim is believed at first

typedef struct line {
  int socket;
  sfnec_frame_alive *alive;
  void *context;
} line;

// Waits until the socket can be read or written. `ticks`: give up after so many without; -1: never.
static bool wait_for(const line *line, short events, int ticks) {
  struct pollfd news = {.fd = line->socket, .events = events};
  for (int ticked = 0; ticks < 0 || ticked < ticks; ticked++) {
    const int found = poll(&news, 1, TICK);
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
    // what was sent before the other side ended is still read
    if (line->alive && !line->alive(line->context)) return poll(&news, 1, 0) > 0;
  }
  return false;
}

static bool again(void) {
  return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

static bool send_all(const line *line, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    if (!wait_for(line, POLLOUT, -1)) return false;
    const ssize_t sent = send(line->socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && again()) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= (size_t)sent;
  }
  return true;
}

// `first`: nothing of the frame has come yet, and it may take for ever.
static bool receive_all(const line *line, void *bytes, size_t size, bool first) {
  char *at = bytes;
  while (size > 0) {
    if (!wait_for(line, POLLIN, first ? -1 : SFNEC_FRAME_PATIENCE * 1000 / TICK)) return false;
    const ssize_t got = recv(line->socket, at, size, MSG_DONTWAIT);
    if (got < 0 && again()) continue;
    if (got <= 0) return false;
    first = false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

bool sfnec_frame_send(int socket, sfnec_frame_tag tag, const void *bytes, size_t size, sfnec_frame_alive *alive,
                      void *context) {
  const line line = {socket, alive, context};
  const uint32_t head[2] = {tag, (uint32_t)size};
  return size <= SFNEC_FRAME_MOST && send_all(&line, head, sizeof head) && send_all(&line, bytes, size);
}

// Reads `size` bytes into memory that grows as they come.
static unsigned char *receive_block(const line *line, size_t size) {
  unsigned char *block = NULL;
  for (size_t had = 0, room = FIRST; !block || had < size; room *= 2) {
    const size_t now = size < room ? size : room;
    unsigned char *grown = realloc(block, now + 1);
    if (!grown || !receive_all(line, grown + had, now - had, false)) {
      free(grown ? grown : block);
      return NULL;
    }
    block = grown;
    had = now;
  }
  block[size] = '\0';
  return block;
}

bool sfnec_frame_receive(int socket, size_t most, sfnec_frame_alive *alive, void *context, sfnec_frame_tag *tag,
                         unsigned char **bytes, size_t *size) {
  const line line = {socket, alive, context};
  uint32_t head[2];
  *bytes = NULL;
  if (!receive_all(&line, head, sizeof head, true) || head[1] > most) return false;
  *bytes = receive_block(&line, head[1]);
  *tag = (sfnec_frame_tag)head[0];
  *size = head[1];
  return *bytes != NULL;
}
