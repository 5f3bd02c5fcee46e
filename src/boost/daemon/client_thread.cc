#include "boost/daemon/client_thread.h"

#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace edgewise {
namespace {

constexpr std::string_view kNumbers = "NSpid:";

// What a thread calls itself: the last of the numbers that it has in the
// nested namespaces.
std::optional<pid_t> InnermostTid(const std::filesystem::path& task) {
  std::ifstream status(task / "status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kNumbers)) continue;
    const size_t last = line.find_last_of(" \t");
    pid_t tid = 0;
    if (last != std::string::npos &&
        absl::SimpleAtoi(line.substr(last + 1), &tid)) {
      return tid;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<pid_t> ThreadOf(pid_t pid, pid_t tid) {
  const std::filesystem::path tasks(absl::StrCat("/proc/", pid, "/task"));
  // Nearly always the namespace is ours.
  if (InnermostTid(tasks / std::to_string(tid)) == tid) return tid;
  std::error_code error;
  for (std::filesystem::directory_iterator each(tasks, error), end;
       !error && each != end; each.increment(error)) {
    pid_t outer = 0;
    if (InnermostTid(each->path()) == tid &&
        absl::SimpleAtoi(each->path().filename().native(), &outer)) {
      return outer;
    }
  }
  return std::nullopt;
}

std::vector<int> AffinityOf(pid_t tid) {
  // More than any machine has: the kernel refuses a set that is too small.
  constexpr int kMaxCpus = 8192;
  cpu_set_t* const set = CPU_ALLOC(kMaxCpus);
  const size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  std::vector<int> cpus;
  if (sched_getaffinity(tid, bytes, set) == 0) {
    for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(cpu);
    }
  }
  CPU_FREE(set);
  return cpus;
}

}  // namespace edgewise
