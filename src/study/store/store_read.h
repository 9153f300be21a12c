// store_read.h: opening an experiment's database for reading only.
#ifndef SFNEC_STUDY_STORE_STORE_READ_H
#define SFNEC_STUDY_STORE_STORE_READ_H

#include "study/store/store_sql.h"

// Opens the database of sql->path, also while it is written by another process, and from a medium that cannot be
// written; one snapshot is read until it is closed. Fails with SFNEC_ERROR_IO (no experiment there), _FORMAT (foreign,
// damaged, older or newer) or _MEMORY. sqlite3_close(sql->db) in every case.
sfnec_status sfnec_sql_open_read(sfnec_sql *sql);

#endif
