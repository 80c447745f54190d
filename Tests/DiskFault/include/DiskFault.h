/// Loaded in front of the C library (LD_PRELOAD), stands between a program and its database's files.
///
/// LATCHKEY_DISK_FAULT names a file with orders, one a line; while it is not there nothing is out of the ordinary:
///   sync 5     every sync fails with that errno
///   write 28   every write, and every change of a file's length
///   read 5     every read
///   sync hold  every sync waits until the order is gone
/// LATCHKEY_DISK_COUNT names a file that is kept at two 64-bit counts of the machine's byte order: syncs that have begun, and
/// writes.
