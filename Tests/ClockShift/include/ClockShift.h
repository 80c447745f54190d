/// Loaded in front of the C library (LD_PRELOAD), sets a program's wall clock, and no other, forward by
/// LATCHKEY_CLOCK_SHIFT seconds.
