// The columns of a character. The header declares it only for programs that ask for X/Open's functions before they include anything.
#pragma once
#include <stdint.h>

extern int wcwidth(int character);

// The columns of a Unicode scalar by the thread's locale; -1 if it has none.
static inline int latchkey_columns(uint32_t scalar) { return wcwidth((int)scalar); }
