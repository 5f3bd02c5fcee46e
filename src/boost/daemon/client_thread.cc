#include "boost/daemon/client_thread.h"

#include <sched.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

constexpr std::string_view kNumbers = "NSpid:";

// More threads than a server with event loops has. Reading one takes some 10
// µs, in which nobody else is served.
constexpr int kMostThreads = 256;

// A task's numbers: ours, then one for each namespace that it is nested in.
std::vector<pid_t> NumbersOf(const std::filesystem::path& task) {
  std::ifstream status(task / "status");
  std::vector<pid_t> numbers;
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kNumbers)) continue;
    std::istringstream words(line.substr(kNumbers.size()));
    for (pid_t number = 0; words >> number;) numbers.push_back(number);
    break;
  }
  return numbers;
}

// What a thread calls itself.
std::optional<pid_t> InnermostTid(const std::filesystem::path& task) {
  const std::vector<pid_t> numbers = NumbersOf(task);
  if (numbers.empty()) return std::nullopt;
  return numbers.back();
}

}  // namespace

std::optional<pid_t> ThreadOf(pid_t pid, pid_t tid) {
  const std::filesystem::path process(absl::StrCat("/proc/", pid));
  const std::filesystem::path tasks = process / "task";
  // Nearly always the namespace is ours.
  if (InnermostTid(tasks / std::to_string(tid)) == tid) return tid;
  if (NumbersOf(process).size() <= 1) return std::nullopt;
  int left = kMostThreads;
  std::error_code error;
  for (std::filesystem::directory_iterator each(tasks, error), end;
       !error && each != end && left > 0; each.increment(error), --left) {
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
