// record.h: what a run records, by its tables (sfnec/run.h): as bytes, checked, added up, and as plain numbers.
#ifndef SFNEC_RUN_RECORD_H
#define SFNEC_RUN_RECORD_H

#include "base/file.h"
#include "sfnec/run.h"

// The newest edition of the records. Whoever stores them counts its format's version from it, so that a reader knows
// which fields a file has.
uint32_t sfnec_record_edition(void);
// That of one table.
uint32_t sfnec_record_set_edition(const sfnec_record_set *set);

// The numbers and flags of one record as bytes, in the order of the table; texts are not written.
void sfnec_record_write(const sfnec_record_set *set, const void *record, sfnec_writer *writer);
// And back, from a file of that edition. Fields that are newer get their defaults.
void sfnec_record_read(const sfnec_record_set *set, uint32_t edition, void *record, sfnec_reader *reader);
// The bytes that one record takes in a file of that edition.
size_t sfnec_record_size(const sfnec_record_set *set, uint32_t edition);

// Is every number that a file of that edition has in its range?
bool sfnec_record_check(const sfnec_record_set *set, uint32_t edition, const void *record);

// A number or a flag of a record.
double sfnec_record_number(const sfnec_record_field *field, const void *record);
// The displayed value: a sum is divided by its count; NaN or an infinity if the count is 0.
double sfnec_record_shown(const sfnec_record_set *set, const sfnec_record_field *field, const void *record);
// Adds a record to a sum of those before it: numbers add up, of a level the last one counts. Whole numbers that are
// read from files must be checked to add up before.
void sfnec_record_add(const sfnec_record_set *set, void *sum, const void *record);
// The field of that name, or NULL.
const sfnec_record_field *sfnec_record_find(const sfnec_record_set *set, const char *name);

#endif
