#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace edgewise {

// The limits that control groups put on a process's use of processors (CFS
// bandwidth control), and how often they took effect. Of version 1 and 2, and
// of each group from the process's own to the topmost that it sees.
class CpuQuota {
 public:
  // Of this process.
  static CpuQuota Find();
  // As the two files in /proc/self say, `cgroup` and `mountinfo`; `root` is put
  // before every mount point.
  static CpuQuota Find(absl::string_view cgroup, absl::string_view mountinfo,
                       const std::string& root);

  CpuQuota() = default;  // none
  CpuQuota(CpuQuota&& other) noexcept;
  CpuQuota& operator=(CpuQuota&& other) noexcept;
  ~CpuQuota();

  // A group with a limit. It may use `quota_us` of each `period_us`, summed
  // over processors.
  struct Limit {
    std::string group;  // its path below the mount point
    int64_t quota_us;
    int64_t period_us;
    int stat_fd;
  };
  const std::vector<Limit>& limits() const { return limits_; }
  bool any() const { return !limits_.empty(); }
  // So many at a time, on average; infinite without a limit.
  double processors() const;
  // What the process's own group may have of a processor that others want, too:
  // cpu.shares (version 1, 1024 by default) or cpu.weight (version 2, 100).
  struct Share {
    const char* name;
    int64_t value;
  };
  const std::optional<Share>& share() const { return share_; }

  // Since the groups began, summed over them and over processors.
  struct Throttled {
    uint64_t periods = 0;    // in which they could have run
    uint64_t throttled = 0;  // ... and were stopped
    int64_t ns = 0;
  };
  // Takes some µs: the files are read.
  Throttled Read() const;

 private:
  void Add(const std::string& directory, std::string group);

  std::vector<Limit> limits_;
  std::optional<Share> share_;
};

}  // namespace edgewise
