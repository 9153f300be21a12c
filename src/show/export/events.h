// events.h: scalars in an event file that TensorBoard shows.
//
// The file is a sequence of TFRecords, each an Event of TensorFlow's event.proto. Only what a scalar needs is written:
// wall_time, step, file_version, and a summary value with a tag and a simple_value (a float).
#ifndef SFNEC_SHOW_EXPORT_EVENTS_H
#define SFNEC_SHOW_EXPORT_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "sfnec/status.h"

typedef struct sfnec_events sfnec_events;

// Begins a file; it gets its name when it is committed. TensorBoard looks for files with "tfevents" in their names.
// Fails with SFNEC_ERROR_IO or _MEMORY.
sfnec_status sfnec_events_create(const char *path, sfnec_events **out);

// One point of a curve. A failed write is remembered and reported by commit. `seconds` is the wall time of the event.
void sfnec_events_scalar(sfnec_events *events, const char *tag, int64_t step, double seconds, double value);

// Syncs the file and gives it its name; frees the writer in every case.
sfnec_status sfnec_events_commit(sfnec_events *events);
void sfnec_events_abort(sfnec_events *events); // NULL is fine

// The checksum of its records: CRC-32C (Castagnoli), 0xe3069283 for "123456789".
uint32_t sfnec_crc32c(const void *bytes, size_t size);

#endif
