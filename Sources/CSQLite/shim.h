// A setting of SQLite. Its function takes a variable number of arguments, which Swift cannot call.
#pragma once

extern int sqlite3_config(int setting, ...);

// Has SQLite count no memory. Otherwise it takes a lock for each allocation, which all its
// connections share. Returns 0, or an error if SQLite is in use already (SQLITE_CONFIG_MEMSTATUS).
static inline int latchkey_count_no_memory(void) { return sqlite3_config(9, 0); }
