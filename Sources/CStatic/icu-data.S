// The data of ICU that programs for release keep, in the place of the 34 MB that Foundation brings
// along. `Tools/release-options` makes the file and names it and the symbol by which ICU finds it.
// Other programs keep ICU's own data.

#ifdef LATCHKEY_ICU_DATA
    .section .rodata.icu, "a", %progbits
    .globl LATCHKEY_ICU_SYMBOL
    .type LATCHKEY_ICU_SYMBOL, %object
    .balign 16
LATCHKEY_ICU_SYMBOL:
    .incbin LATCHKEY_ICU_DATA
    .size LATCHKEY_ICU_SYMBOL, . - LATCHKEY_ICU_SYMBOL
#endif

    .section .note.GNU-stack, "", %progbits
