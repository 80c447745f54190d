// Relocates a program for release at its start, instead of the dynamic loader.
//
// A program that may be loaded anywhere has a pointer to itself in each of 160,000 places, and each
// has to be increased by the address at which the program was loaded. A table with an entry of
// 24 bytes for each took 3.9 MB of 52. The table in the format RELR has one bit for most of them.
// The loaders of glibc before 2.36 cannot read it, and Ubuntu 22.04 has 2.35. So
// `Tools/Package/release-options` has the linker mark the table as one for Android, which glibc
// ignores, and has the program begin here, where the table is applied with any glibc.
//
// Until then, no pointer in the program's data is usable. This file uses none: all that it needs is
// found relative to its own code, and the loader binds what it calls in libc. Nothing else may use
// the program's data before: the loader copies no initial values of thread-local variables, calls
// no early function of the program and shares no symbol of it with a library. `Tools/package`
// checks this.

#include "static.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>

// The tags of lld's option --use-android-relr-tags, in no header of glibc.
enum { PACKED_TABLE = 0x6fffe000, PACKED_SIZE = 0x6fffe001 };

// Both are the linker's. Hidden, they are found without a pointer.
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

// Increases the pointers that a table names: an even entry is the address of one, and an odd entry
// has a bit for each of the 63 places that follow the last one.
static void apply(const ElfW(Addr) *table, size_t count, ElfW(Addr) base) {
  ElfW(Addr) *place = NULL;
  for (size_t index = 0; index < count; index += 1) {
    ElfW(Addr) entry = table[index];
    if ((entry & 1) == 0) {
      place = (ElfW(Addr) *)(base + entry);
      *place++ += base;
      continue;
    }
    for (size_t bit = 0; (entry >>= 1) != 0; bit += 1) {
      if (entry & 1) place[bit] += base;
    }
    place += 8 * sizeof(entry) - 1;
  }
}

void latchkey_relocate(void) {
  ElfW(Addr) base = (ElfW(Addr))&__ehdr_start;
  ElfW(Addr) table = 0;
  size_t size = 0;
  for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry += 1) {
    if (entry->d_tag == PACKED_TABLE) table = entry->d_un.d_ptr;
    if (entry->d_tag == PACKED_SIZE) size = entry->d_un.d_val;
  }
  if (size == 0) return;

  // By now, the loader has made the pages read-only that only it writes to.
  ElfW(Addr) start = 0, end = 0;
  const ElfW(Phdr) *header = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);
  ElfW(Addr) page = ~((ElfW(Addr))getauxval(AT_PAGESZ) - 1);
  for (size_t index = 0; index < __ehdr_start.e_phnum; index += 1) {
    if (header[index].p_type != PT_GNU_RELRO) continue;
    start = (base + header[index].p_vaddr) & page;
    end = (base + header[index].p_vaddr + header[index].p_memsz) & page;
  }
  // If the kernel has no memory for this, the program cannot run, and cannot print a message yet.
  if (end > start && mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) != 0) __builtin_trap();
  apply((const ElfW(Addr) *)(base + table), size / sizeof(ElfW(Addr)), base);
  if (end > start && mprotect((void *)start, end - start, PROT_READ) != 0) __builtin_trap();
}

// The entry. The loader hands over a function for libc's _start in a register, which stays as it is.
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl latchkey_start\n"
        ".type latchkey_start, @function\n"
        "latchkey_start:\n"
        "  pushq %rdx\n"
        "  subq $8, %rsp\n"
        "  callq latchkey_relocate\n"
        "  addq $8, %rsp\n"
        "  popq %rdx\n"
        "  jmp _start\n"
        ".size latchkey_start, . - latchkey_start\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl latchkey_start\n"
        ".type latchkey_start, %function\n"
        "latchkey_start:\n"
        "  stp x0, x30, [sp, #-16]!\n"
        "  bl latchkey_relocate\n"
        "  ldp x0, x30, [sp], #16\n"
        "  b _start\n"
        ".size latchkey_start, . - latchkey_start\n");
#endif
