#ifndef LATCHKEY_CSQLITE_SHIM_H
#define LATCHKEY_CSQLITE_SHIM_H

// Swift cannot call C functions with variable arguments. <sqlite3.h> itself comes with GRDB.
int sqlite3_config(int option, ...);

// Leave out the statistics of SQLite's memory: each allocation takes a lock for them that all connections share.
// 0 on success; 21 (SQLITE_MISUSE) once SQLite is in use.
static inline int latchkey_sqlite_without_memory_statistics(void) { return sqlite3_config(9, 0); }

#endif
