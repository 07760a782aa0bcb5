/*
 * Loaded in front of the C library (LD_PRELOAD), lets chosen calls of the system fail: those that
 * change files whose paths hold a text. What is chosen stands in a file that the test changes while
 * the program runs; it is mapped, so that nothing is asked of the system to know it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Kinds of calls, bits of `kinds`. */
enum { OPEN = 1, WRITE = 2, SYNC = 4, RENAME = 8 };

/* The file of the test; all numbers in the order of bytes of this machine. */
struct choice {
  volatile int32_t is_armed;
  int32_t kinds;
  int32_t error;
  /* Chosen calls that still succeed before the first failure. */
  int32_t skipped;
  /* How many fail from then on. */
  int32_t failures;
  /* Chosen calls seen, failures among them. */
  volatile int32_t n_seen;
  char root[512];
  char text[64];
};

static struct choice *choice;

__attribute__((constructor)) static void map_choice(void) {
  const char *path = getenv("FAILING_CALLS");
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  int fd = path == NULL ? -1 : real(path, O_RDWR);
  if (fd < 0) return;
  void *map = mmap(NULL, sizeof *choice, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) choice = map;
}

/* Whether this call is one of those that fail. */
static int fails(int kind, const char *path) {
  if (choice == NULL || !choice->is_armed || !(choice->kinds & kind)) return 0;
  if (strncmp(path, choice->root, strlen(choice->root)) != 0) return 0;
  if (strstr(path + strlen(choice->root), choice->text) == NULL) return 0;
  int seen = __sync_fetch_and_add(&choice->n_seen, 1);
  if (seen < choice->skipped || seen - choice->skipped >= choice->failures) return 0;
  errno = choice->error;
  return 1;
}

static int fd_fails(int kind, int fd) {
  if (choice == NULL || !choice->is_armed || !(choice->kinds & kind)) return 0;
  char link[64], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails(kind, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPENING(name)                                              \
  int name(const char *path, int flags, ...) {                     \
    va_list rest;                                                  \
    va_start(rest, flags);                                         \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                  \
    if ((flags & O_CREAT) && fails(OPEN, path)) return -1;         \
    return REAL(name)(path, flags, mode);                          \
  }
OPENING(open)
OPENING(open64)

ssize_t write(int fd, const void *bytes, size_t n) {
  return fd_fails(WRITE, fd) ? -1 : REAL(write)(fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
  return fd_fails(WRITE, fd) ? -1 : REAL(pwrite)(fd, bytes, n, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at) {
  return fd_fails(WRITE, fd) ? -1 : REAL(pwrite64)(fd, bytes, n, at);
}

ssize_t writev(int fd, const struct iovec *pieces, int n) {
  return fd_fails(WRITE, fd) ? -1 : REAL(writev)(fd, pieces, n);
}

ssize_t pwritev(int fd, const struct iovec *pieces, int n, off_t at) {
  return fd_fails(WRITE, fd) ? -1 : REAL(pwritev)(fd, pieces, n, at);
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags) {
  return fd_fails(WRITE, to) ? -1 : REAL(copy_file_range)(from, from_at, to, to_at, n, flags);
}

int fsync(int fd) { return fd_fails(SYNC, fd) ? -1 : REAL(fsync)(fd); }

int fdatasync(int fd) { return fd_fails(SYNC, fd) ? -1 : REAL(fdatasync)(fd); }

int rename(const char *from, const char *to) {
  return fails(RENAME, to) ? -1 : REAL(rename)(from, to);
}
