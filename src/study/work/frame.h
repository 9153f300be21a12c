// frame.h: tagged blocks of bytes over a socket: what this program and its Python processes say to each other.
//
// A frame is two native u32, tag and size, and so many bytes; both ends are on one machine. python/sfnec/_worker.py
// knows the same tags. A size is a claim: it has a bound, and memory is asked for as the bytes come.
#ifndef SFNEC_STUDY_WORK_FRAME_H
#define SFNEC_STUDY_WORK_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sfnec_frame_tag {
  SFNEC_FRAME_DESCRIBE = 1, // to Python: a world as JSON
  SFNEC_FRAME_SHAPE,        // from it: eight native i32 (the fields of sfnec_env_shape), and its version
  SFNEC_FRAME_REFUSED,      // from it: the sentence why there is no such world
  SFNEC_FRAME_STUDY,        // to it: an sfnec_python_study, packed
  SFNEC_FRAME_ASSIGN,       // to it: two native u32, the job and tasks_sent
  SFNEC_FRAME_STOP,         // to it: save the job, and end it
  SFNEC_FRAME_MESSAGE,      // from it: a message of a worker (message.h)
} sfnec_frame_tag;

// The greatest frame: the record of a task with 10 million episodes fits.
#define SFNEC_FRAME_MOST ((size_t)1 << 28)
// Seconds without a byte after which one who has begun a frame counts as gone.
#define SFNEC_FRAME_PATIENCE 10

// Asked every tenth of a second while nothing comes or goes: is the other side still there? A socket alone does not
// show: a process that the other side forked may hold its end. NULL: always.
typedef bool sfnec_frame_alive(void *context);

// false: the other side is gone, or the frame would be too large.
bool sfnec_frame_send(int socket, sfnec_frame_tag tag, const void *bytes, size_t size, sfnec_frame_alive *alive,
                      void *context);
// Waits for a frame of at most `most` bytes; *bytes is new memory, with a NUL after it. false: the other side is gone,
// has claimed more, or has stopped in the middle of a frame for SFNEC_FRAME_PATIENCE; or there is no memory.
bool sfnec_frame_receive(int socket, size_t most, sfnec_frame_alive *alive, void *context, sfnec_frame_tag *tag,
                         unsigned char **bytes, size_t *size);

#endif
