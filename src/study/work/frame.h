// frame.h: tagged blocks of bytes over a socket: what this program and its Python processes say to each other.
//
// A frame is two native u32, tag and size, and so many bytes; both ends are on one machine. python/sfnec/_worker.py
// knows the same tags.
#ifndef SFNEC_STUDY_WORK_FRAME_H
#define SFNEC_STUDY_WORK_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sfnec_frame_tag {
  SFNEC_FRAME_DESCRIBE = 1, // to Python: a world as JSON
  SFNEC_FRAME_SHAPE,   // from it: three native i32 (observation_size, action_count, feature_count), and its version
  SFNEC_FRAME_REFUSED, // from it: the sentence why there is no such world
  SFNEC_FRAME_STUDY,   // to it: an sfnec_python_study, packed
  SFNEC_FRAME_ASSIGN,  // to it: two native u32, the job and tasks_told
  SFNEC_FRAME_STOP,    // to it: save the job, and end it
  SFNEC_FRAME_MESSAGE, // from it: a message of a worker (message.h)
} sfnec_frame_tag;

// false: the other side is gone.
bool sfnec_frame_send(int socket, sfnec_frame_tag tag, const void *bytes, size_t size);
// Waits for a frame; *bytes is new memory, with a NUL after it. false: the other side is gone, or there is no memory.
bool sfnec_frame_receive(int socket, sfnec_frame_tag *tag, unsigned char **bytes, size_t *size);

#endif
