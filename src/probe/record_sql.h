/* Inside of records: the format's statements and what both sides share. */
#ifndef WHICHGPU_PROBE_RECORD_SQL_H
#define WHICHGPU_PROBE_RECORD_SQL_H

#include <sqlite3.h>

#include "whichgpu/status.h"

#define RECORD_APPLICATION 0x77677264 /* "wgrd": SQLite's application_id */
#define RECORD_FORMAT 1               /* SQLite's user_version */

/* SQLite's last complaint as ours, with the file's name. */
enum wg_status record_fail(sqlite3 *database, const char *path, const char *what,
                           struct wg_error *error);
enum wg_status record_run(sqlite3 *database, const char *path, const char *sql,
                          struct wg_error *error);
enum wg_status record_prepare(sqlite3 *database, const char *path, const char *sql,
                              sqlite3_stmt **ret_statement, struct wg_error *error);
/* One whole number of a query, or otherwise. */
long long record_number(sqlite3 *database, const char *sql, long long otherwise);

#endif
