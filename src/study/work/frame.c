// frame.c: tagged blocks of bytes over a socket; see frame.h.
#include "study/work/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

static bool send_all(int socket, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    const ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= (size_t)sent;
  }
  return true;
}

static bool receive_all(int socket, void *bytes, size_t size) {
  char *at = bytes;
  while (size > 0) {
    const ssize_t got = recv(socket, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

bool sfnec_frame_send(int socket, sfnec_frame_tag tag, const void *bytes, size_t size) {
  const uint32_t head[2] = {tag, (uint32_t)size};
  return size <= UINT32_MAX && send_all(socket, head, sizeof head) && send_all(socket, bytes, size);
}

bool sfnec_frame_receive(int socket, sfnec_frame_tag *tag, unsigned char **bytes, size_t *size) {
  uint32_t head[2];
  *bytes = NULL;
  if (!receive_all(socket, head, sizeof head)) return false;
  unsigned char *block = malloc((size_t)head[1] + 1);
  if (!block || !receive_all(socket, block, head[1])) {
    free(block);
    return false;
  }
  block[head[1]] = '\0';
  *tag = (sfnec_frame_tag)head[0];
  *bytes = block;
  *size = head[1];
  return true;
}
