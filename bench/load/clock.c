// Preloaded into the processes of a service: the time of day is off by the seconds that a file holds.
//
// Only the time of day moves, as where an operator sets the clock; what measures durations goes on. libfaketime 0.9.10
// cannot do that: with FAKETIME_DONT_FAKE_MONOTONIC every time.sleep() of Python 3.11 fails with EINVAL, since it
// treats the absolute time of clock_nanosleep(CLOCK_MONOTONIC) as one of the moved clock.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset_s;

__attribute__((constructor)) static void map_offset(void) {
  const char *path = getenv("STOWAGE_LOAD_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *offset_s, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) offset_s = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *found) {
  long failed = syscall(SYS_clock_gettime, clock, found);
  if (!failed && offset_s && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    found->tv_sec += *offset_s;
  }
  return (int)failed;
}

int gettimeofday(struct timeval *restrict found, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int failed = clock_gettime(CLOCK_REALTIME, &now);
  if (!failed) {
    found->tv_sec = now.tv_sec;
    found->tv_usec = now.tv_nsec / 1000;
  }
  return failed;
}

time_t time(time_t *found) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (found) *found = now.tv_sec;
  return now.tv_sec;
}
