#define _GNU_SOURCE
#include "DiskFault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SYNCS, WRITES, COUNTS };

static _Atomic uint64_t none[COUNTS];
static _Atomic uint64_t *counts = none;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("LATCHKEY_DISK_COUNT");
  if (!path) return;
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, sizeof none) == 0) {
    void *shared = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) counts = shared;
  }
  close(file);
}

static int is_database(int file) {
  char link[64], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return strstr(path, "/latchkey.sqlite") != NULL;
}

/// The errno to fail with; 0 to go on.
static int ordered(const char *what) {
  const char *path = getenv("LATCHKEY_DISK_FAULT");
  size_t length = strlen(what);
  while (path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[128] = {0};
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    if (got <= 0) return 0;
    int holds = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
      if (strncmp(line, what, length) != 0 || line[length] != ' ') continue;
      if (strcmp(line + length + 1, "hold") != 0) return atoi(line + length + 1);
      holds = 1;
    }
    if (!holds) return 0;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  return 0;
}

/// Whether the operation fails, with errno set.
static int fails(const char *what, int file, int count) {
  int before = errno;
  if (!is_database(file)) {
    errno = before;
    return 0;
  }
  if (count < COUNTS) atomic_fetch_add(&counts[count], 1);
  int fault = ordered(what);
  errno = fault ? fault : before;
  return fault != 0;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int file) { return fails("sync", file, SYNCS) ? -1 : NEXT(fsync)(file); }

int fdatasync(int file) { return fails("sync", file, SYNCS) ? -1 : NEXT(fdatasync)(file); }

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
  return fails("write", file, WRITES) ? -1 : NEXT(pwrite64)(file, bytes, length, offset);
}

ssize_t write(int file, const void *bytes, size_t length) {
  return fails("write", file, WRITES) ? -1 : NEXT(write)(file, bytes, length);
}

int ftruncate64(int file, off64_t length) {
  return fails("write", file, WRITES) ? -1 : NEXT(ftruncate64)(file, length);
}

ssize_t pread64(int file, void *bytes, size_t length, off64_t offset) {
  return fails("read", file, COUNTS) ? -1 : NEXT(pread64)(file, bytes, length, offset);
}
