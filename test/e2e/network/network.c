// Two network namespaces with a line between them that takes its time, and a way into them.
//
//   network line MICROSECONDS     makes them, 10.97.0.1 and 10.97.0.2; says "PID FD FD", by which they are found; ends with its
//                                 standard input
//   network in PID FD NANOSECONDS COMMAND...
//                                 runs COMMAND in that one, where the monotonic clock is ahead by so much
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kMost = 4096, kBytes = 2048 };

struct Packet {
  int64_t due_ns;
  ssize_t size;
  char bytes[kBytes];
};

// What is under way in one direction, in order.
struct Way {
  int from, to;
  unsigned first, last;
  struct Packet packets[kMost];
};

static struct Way ways[2];

static void Must(int succeeded, const char* what) {
  if (succeeded) return;
  perror(what);
  exit(1);
}

static int64_t NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void Up(int control, const char* name) {
  struct ifreq request = {0};
  strcpy(request.ifr_name, name);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  Must(ioctl(control, SIOCSIFFLAGS, &request) == 0, name);
}

// A namespace with one end of the line. Returns the end; `space`: what the namespace is found by.
static int NewEnd(const char* address, int* space) {
  Must(unshare(CLONE_NEWNET) == 0, "unshare");
  *space = open("/proc/self/ns/net", O_RDONLY);
  Must(*space >= 0, "/proc/self/ns/net");
  const int end = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  Must(end >= 0, "/dev/net/tun");
  struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  strcpy(request.ifr_name, "line");
  Must(ioctl(end, TUNSETIFF, &request) == 0, "TUNSETIFF");
  const int control = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in* const own = (struct sockaddr_in*)&request.ifr_addr;
  memset(&request.ifr_addr, 0, sizeof(request.ifr_addr));
  own->sin_family = AF_INET;
  own->sin_addr.s_addr = inet_addr(address);
  Must(ioctl(control, SIOCSIFADDR, &request) == 0, "SIOCSIFADDR");
  own->sin_addr.s_addr = inet_addr("255.255.255.0");
  Must(ioctl(control, SIOCSIFNETMASK, &request) == 0, "SIOCSIFNETMASK");
  Up(control, "line");
  Up(control, "lo");
  close(control);
  return end;
}

static void Take(struct Way* way, int64_t delay_ns) {
  while (way->last - way->first < kMost) {
    struct Packet* const packet = &way->packets[way->last % kMost];
    packet->size = read(way->from, packet->bytes, kBytes);
    if (packet->size <= 0) return;
    packet->due_ns = NowNs() + delay_ns;
    ++way->last;
  }
}

// Until when there is nothing to give.
static int64_t Give(struct Way* way) {
  while (way->first != way->last) {
    struct Packet* const packet = &way->packets[way->first % kMost];
    if (packet->due_ns > NowNs()) return packet->due_ns;
    if (write(way->to, packet->bytes, (size_t)packet->size) < 0) perror("write");
    ++way->first;
  }
  return INT64_MAX;
}

static int Line(int64_t delay_ns) {
  int spaces[2];
  const int one = NewEnd("10.97.0.1", &spaces[0]);
  const int other = NewEnd("10.97.0.2", &spaces[1]);
  ways[0].from = ways[1].to = one;
  ways[0].to = ways[1].from = other;
  printf("%d %d %d\n", getpid(), spaces[0], spaces[1]);
  fflush(stdout);
  for (;;) {
    int64_t due_ns = INT64_MAX;
    for (int i = 0; i < 2; ++i) {
      const int64_t way_ns = Give(&ways[i]);
      if (way_ns < due_ns) due_ns = way_ns;
    }
    int64_t left_ns = due_ns == INT64_MAX ? INT64_C(1000000000) : due_ns - NowNs();
    if (left_ns < 0) left_ns = 0;
    const struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};
    struct pollfd files[] = {{one, POLLIN, 0}, {other, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    Must(ppoll(files, 3, &left, NULL) >= 0 || errno == EINTR, "ppoll");
    if (files[2].revents != 0) return 0;
    Take(&ways[0], delay_ns);
    Take(&ways[1], delay_ns);
  }
}

static void Enter(const char* pid, const char* fd, int64_t ahead_ns) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, fd);
  const int space = open(path, O_RDONLY | O_CLOEXEC);
  Must(space >= 0 && setns(space, CLONE_NEWNET) == 0, path);
  if (ahead_ns == 0) return;
  Must(unshare(CLONE_NEWTIME) == 0, "CLONE_NEWTIME");
  int64_t seconds = ahead_ns / 1000000000;
  int64_t rest_ns = ahead_ns % 1000000000;
  if (rest_ns < 0) {
    --seconds;
    rest_ns += 1000000000;
  }
  FILE* const offsets = fopen("/proc/self/timens_offsets", "w");
  Must(offsets != NULL && fprintf(offsets, "monotonic %lld %lld\n", (long long)seconds, (long long)rest_ns) > 0 && fclose(offsets) == 0,
       "timens_offsets");
  const int clock = open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC);
  Must(clock >= 0 && setns(clock, CLONE_NEWTIME) == 0, "time_for_children");
}

int main(int count, char** words) {
  if (count == 3 && strcmp(words[1], "line") == 0) return Line(atoll(words[2]) * 1000);
  if (count > 5 && strcmp(words[1], "in") == 0) {
    Enter(words[2], words[3], atoll(words[4]));
    execvp(words[5], words + 5);
    perror(words[5]);
  }
  return 2;
}
