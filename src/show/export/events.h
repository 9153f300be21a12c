// events.h: scalars in an event file that TensorBoard shows.
//
// The file is a sequence of TFRecords, each an Event of TensorFlow's event.proto. Only what a scalar needs is written:
// wall_time, step, file_version, and a summary value with a tag and a simple_value (a float).
#ifndef SFNEC_SHOW_EXPORT_EVENTS_H
#define SFNEC_SHOW_EXPORT_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A write error stays in `file` for the caller. TensorBoard looks for files with "tfevents" in their names.

// What every event file begins with.
void sfnec_events_begin(FILE *file);
// One point of a curve; `seconds` is the wall time of the event.
void sfnec_events_scalar(FILE *file, const char *tag, int64_t step, double seconds, double value);

// The checksum of its records: CRC-32C (Castagnoli), 0xe3069283 for "123456789".
uint32_t sfnec_crc32c(const void *bytes, size_t size);

#endif
