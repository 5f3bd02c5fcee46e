#include "platform/own_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>

namespace edgewise {
namespace {

bool ByProcessVm(const void* from, void* to, size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
         static_cast<ssize_t>(bytes);
}

// Opened each time: a child process that inherited the file would read its
// parent's memory.
bool ByProcFile(const void* from, void* to, size_t bytes) {
  const int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t got = pread(
      fd, to, bytes, static_cast<off_t>(reinterpret_cast<uintptr_t>(from)));
  close(fd);
  return got == static_cast<ssize_t>(bytes);
}

bool ByPipe(const void* from, void* to, size_t bytes) {
  // A pipe takes at least this much without anybody who reads it.
  constexpr size_t kPart = 4096;
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return false;
  size_t done = 0;
  while (done < bytes) {
    const auto part = static_cast<ssize_t>(std::min(kPart, bytes - done));
    if (write(ends[1], static_cast<const char*>(from) + done, part) != part ||
        read(ends[0], static_cast<char*>(to) + done, part) != part) {
      break;
    }
    done += static_cast<size_t>(part);
  }
  close(ends[0]);
  close(ends[1]);
  return done == bytes;
}

struct Way {
  const char* name;
  bool (*read)(const void* from, void* to, size_t bytes);
};

constexpr std::array kWays = {Way{"process_vm_readv", &ByProcessVm},
                              Way{"/proc/self/mem", &ByProcFile},
                              Way{"pipe", &ByPipe}};

// Whether it reads what is there, and nothing of what is not.
bool Works(const Way& way) {
  const uint64_t known = 0x6564676577697365;
  uint64_t read = 0;
  return way.read(&known, &read, sizeof(read)) && read == known &&
         !way.read(reinterpret_cast<const void*>(uintptr_t{8}), &read,
                   sizeof(read));
}

std::mutex way_mutex;  // guards the pointer
const Way* chosen = nullptr;

// The one that was chosen before, as long as it works: a policy only gets
// stricter.
const Way* Choose(bool again) {
  const std::lock_guard lock(way_mutex);
  if (chosen != nullptr && !again) return chosen;
  chosen = nullptr;
  for (const Way& way : kWays) {
    if (!Works(way)) continue;
    chosen = &way;
    break;
  }
  return chosen;
}

}  // namespace

bool ReadOwnMemory(const void* from, void* to, size_t bytes) {
  const Way* const way = Choose(/*again=*/false);
  return way != nullptr && way->read(from, to, bytes);
}

const char* OwnMemoryWay() {
  const Way* const way = Choose(/*again=*/true);
  return way == nullptr ? nullptr : way->name;
}

}  // namespace edgewise
