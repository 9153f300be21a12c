// store_read.c: opening an experiment's database for reading only.
//
// A reader of a database with a log needs the log's index, a file beside it that it would make if it is missing; with
// write permission the last one to close takes it away again. In a folder that cannot be written that fails; then
// nobody else writes there either, and the database is read as a file that does not change ("immutable"). On a file
// system that machines share, a reader keeps its hands off everything.
#include "study/store/store_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "study/store/machine.h"
#include "study/store/schema.h"

enum { PATIENCE = 20000 }; // milliseconds

static int try_open(sfnec_sql *sql, const char *name, int flags) {
  int code = sqlite3_open_v2(name, &sql->db, flags, NULL);
  if (!code) code = sqlite3_extended_result_codes(sql->db, 1);
  if (!code) code = sqlite3_busy_timeout(sql->db, PATIENCE);
  // opening does not look at the file yet; the snapshot begins with the first query
  if (!code)
    code = sqlite3_exec(sql->db, "PRAGMA query_only = ON; BEGIN; SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
  return code;
}

// "file:NAME?immutable=1", with what has a meaning in such a name written in hexadecimal
static char *immutable_name(const char *path) {
  char *name = malloc(3 * strlen(path) + sizeof "file:?immutable=1"), *end = name;
  if (!name) return NULL;
  end += sprintf(end, "file:");
  for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
    if (isalnum(*c) || strchr("/._-", *c)) *end++ = (char)*c;
    else end += sprintf(end, "%%%02x", *c);
  }
  strcpy(end, "?immutable=1");
  return name;
}

// results that are only in the log would be missed without it
static bool has_log(const char *path) {
  char *name = malloc(strlen(path) + sizeof "-wal");
  struct stat facts;
  if (name) sprintf(name, "%s-wal", path);
  const bool has = name && stat(name, &facts) == 0 && facts.st_size > 0;
  free(name);
  return has;
}

static sfnec_status open_immutable(sfnec_sql *sql) {
  if (has_log(sql->path))
    return sfnec_fail(SFNEC_ERROR_IO,
                      "%s has results in its log that cannot be read in a folder without write permission; copy the "
                      "folder to where it can be written and look there",
                      sql->path);
  sqlite3_close(sql->db);
  sql->db = NULL;
  char *name = immutable_name(sql->path);
  const int code = name ? try_open(sql, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) : SQLITE_NOMEM;
  free(name);
  return code ? sfnec_sql_fail(sql, code) : SFNEC_OK;
}

sfnec_status sfnec_sql_open_read(sfnec_sql *sql) {
  struct stat facts;
  if (stat(sql->path, &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return sfnec_fail(SFNEC_ERROR_IO,
                        "there is no experiment in %s: it has no experiment.db; 'sfnec run SPEC -o %s' makes one",
                        sql->folder, sql->folder);
    return sfnec_fail(SFNEC_ERROR_IO, "cannot read %s: %s", sql->path, strerror(errno));
  }
  const int access = sfnec_machine_shares(sql->folder) ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  const int code = try_open(sql, sql->path, access), kind = code & 0xff;
  sfnec_status status = SFNEC_OK;
  if (kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY) status = open_immutable(sql);
  else if (code) status = sfnec_sql_fail(sql, code);
  int64_t version = 0;
  if (!status) status = sfnec_schema_version(sql, sfnec_schema_steps, &version);
  if (!status && (version == 0 || sfnec_schema_steps[version]))
    status =
        sfnec_fail(SFNEC_ERROR_FORMAT, "%s is %s; start it again with 'sfnec run SPEC -o %s'", sql->path,
                   version ? "in the format of an older program" : "empty: its first start was cut short", sql->folder);
  return status;
}
