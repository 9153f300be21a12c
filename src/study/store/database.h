// database.h: an experiment's database: its tables, how an older one gets the newest ones, and opening it.
#ifndef SFNEC_STUDY_STORE_DATABASE_H
#define SFNEC_STUDY_STORE_DATABASE_H

#include "study/store/sql.h"

// Opens the database of sql->path for writing; it is made if it is missing, and brought up to date if it is older.
// Fails with SFNEC_ERROR_IO, _FORMAT (foreign, damaged or newer) or _MEMORY. sqlite3_close(sql->db) in every case.
sfnec_status sfnec_database_open(sfnec_sql *sql);

// Opens it for reading only, also while it is written by another process, and from a medium that cannot be written; one
// snapshot is read until it is closed. *edition: that of the records (run/record.h) in it. Fails with SFNEC_ERROR_IO
// (no experiment there), _FORMAT (foreign, damaged, empty or newer) or _MEMORY. sqlite3_close(sql->db) in every case.
sfnec_status sfnec_database_open_read(sfnec_sql *sql, uint32_t *edition);

// ---- the schema ----

// Steps are SQL texts, the last one followed by NULL. Step v brings a database from version v to v + 1; a published
// step never changes. Takes the steps that are missing, all of them or, on failure, none. Fails with SFNEC_ERROR_FORMAT
// when the database belongs to another program, is damaged, or has had more steps than there are (a newer program made
// it).
sfnec_status sfnec_schema_upgrade(const sfnec_sql *sql, const char *const *steps);

#endif
