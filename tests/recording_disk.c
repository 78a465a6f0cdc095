/* Preloaded into a program: writes each change of the files in a folder into a journal, and makes some fail.

   DISK_FOLDER is the folder, DISK_JOURNAL the journal. With DISK_FAULT (an errno, or -1 for short writes), every
   DISK_EVERY-th write or sync of a file in the folder fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;
static long calls = 0;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int ours(const char *path) {
  const char *folder = getenv("DISK_FOLDER");
  return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int path_of(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return ours(path);
}

static void note(char what, const char *path, int64_t at, const void *data, int64_t length) {
  pthread_mutex_lock(&alone);
  if (journal < 0) journal = open(getenv("DISK_JOURNAL"), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  struct { int64_t what, name, at, length; } head = {what, (int64_t)strlen(path), at, data ? length : 0};
  if (!data) head.at = length;
  __typeof__(&write) real = REAL(write);
  if (real(journal, &head, sizeof head) < 0 || real(journal, path, head.name) < 0) abort();
  if (data && real(journal, data, length) < 0) abort();
  pthread_mutex_unlock(&alone);
}

/* 0: go on; 1: fail with errno; 2: write half. */
static int fault(void) {
  const char *kind = getenv("DISK_FAULT"), *every = getenv("DISK_EVERY");
  if (!kind || !every || ++calls % atol(every)) return 0;
  if (atoi(kind) < 0) return 2;
  errno = atoi(kind);
  return 1;
}

static ssize_t put(int file, const void *data, size_t length, off64_t at) {
  char path[PATH_MAX];
  if (path_of(file, path)) {
    int wrong = fault();
    if (wrong == 1) return -1;
    if (wrong == 2 && length > 1) length /= 2;
    ssize_t done = REAL(pwrite64)(file, data, length, at);
    if (done > 0) note('w', path, at, data, done);
    return done;
  }
  return REAL(pwrite64)(file, data, length, at);
}

ssize_t pwrite64(int file, const void *data, size_t length, off64_t at) { return put(file, data, length, at); }
ssize_t pwrite(int file, const void *data, size_t length, off_t at) { return put(file, data, length, at); }

ssize_t write(int file, const void *data, size_t length) {
  char path[PATH_MAX];
  ssize_t done = REAL(write)(file, data, length);
  if (done > 0 && path_of(file, path)) note('a', path, lseek(file, 0, SEEK_CUR) - done, data, done);
  return done;
}

static int synced(int file, int (*real)(int)) {
  char path[PATH_MAX];
  int known = path_of(file, path);
  if (known && fault() == 1) return -1;
  int done = real(file);
  if (done == 0 && known) note('s', path, 0, NULL, 0);
  return done;
}

int fsync(int file) { return synced(file, REAL(fsync)); }
int fdatasync(int file) { return synced(file, REAL(fdatasync)); }

static int cut(int file, off64_t length) {
  char path[PATH_MAX];
  int known = path_of(file, path), done = REAL(ftruncate64)(file, length);
  if (done == 0 && known) note('t', path, 0, NULL, length);
  return done;
}

int ftruncate(int file, off_t length) { return cut(file, length); }
int ftruncate64(int file, off64_t length) { return cut(file, length); }

int unlink(const char *path) {
  int done = REAL(unlink)(path);
  if (done == 0 && ours(path)) note('u', path, 0, NULL, 0);
  return done;
}
