// schema.h: the tables of an experiment's database, and how an older database gets the newest ones.
#ifndef SFNEC_STUDY_STORE_SCHEMA_H
#define SFNEC_STUDY_STORE_SCHEMA_H

#include "study/store/store_sql.h"

// Marks a database as ours: SQLite's application_id.
enum { SFNEC_SCHEMA_APPLICATION = 0x53464e43 }; // "SFNC"

// SQL texts, the last one followed by NULL. Step v brings a database from version v to v + 1; a published step never
// changes. The last step is followed by NULL.
typedef const char *const *sfnec_schema_step;
extern const sfnec_schema_step sfnec_schema_steps[];

// Says whose database this is. *version: how many steps it has had, 0 for an empty one. Fails with SFNEC_ERROR_FORMAT
// when it belongs to another program, is damaged, or has had more steps than there are (a newer program made it).
sfnec_status sfnec_schema_version(const sfnec_sql *sql, const sfnec_schema_step *steps, int64_t *version);

// Takes the steps that are missing, all of them or, on failure, none.
sfnec_status sfnec_schema_upgrade(const sfnec_sql *sql, const sfnec_schema_step *steps);

#endif
