#include "platform/scheduler/cpu_quota.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace edgewise {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<absl::string_view> Words(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
}

bool Names(absl::string_view list, absl::string_view controller) {
  for (const absl::string_view name : absl::StrSplit(list, ',')) {
    if (name == controller) return true;
  }
  return false;
}

// Which group the process is in.
struct Membership {
  absl::string_view path;
  bool version2 = false;
};

// The controller of version 1 where there is one; version 2's groups may be
// there beside it, without.
std::optional<Membership> MembershipIn(absl::string_view cgroup) {
  std::optional<Membership> found;
  for (const absl::string_view line : absl::StrSplit(cgroup, '\n')) {
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (Names(parts[1], "cpu")) return Membership{parts[2], false};
    if (parts[0] == "0" && parts[1].empty()) found = {parts[2], true};
  }
  return found;
}

// Where the hierarchy is mounted, and which of its groups is seen there.
struct Mount {
  absl::string_view root;
  absl::string_view point;
};

std::optional<Mount> MountOf(const Membership& member,
                             absl::string_view mountinfo) {
  for (const absl::string_view line : absl::StrSplit(mountinfo, '\n')) {
    const std::vector<absl::string_view> halves = absl::StrSplit(line, " - ");
    if (halves.size() != 2) continue;
    const std::vector<absl::string_view> what = Words(halves[0]);
    const std::vector<absl::string_view> type = Words(halves[1]);
    if (what.size() < 5 || type.size() < 3) continue;
    const bool fits = member.version2
                          ? type[0] == "cgroup2"
                          : type[0] == "cgroup" && Names(type[2], "cpu");
    if (fits) return Mount{what[3], what[4]};
  }
  return std::nullopt;
}

int64_t Number(absl::string_view text) {
  int64_t number;
  return absl::SimpleAtoi(text, &number) ? number : -1;
}

int64_t NumberIn(const std::string& file) {
  return Number(absl::StripAsciiWhitespace(ReadFile(file)));
}

// quota and period, µs; the quota is not positive where there is none.
std::pair<int64_t, int64_t> LimitOf(const std::string& directory) {
  const std::string both = ReadFile(directory + "/cpu.max");  // version 2
  const std::vector<absl::string_view> words = Words(both);
  if (words.size() == 2) return {Number(words[0]), Number(words[1])};
  return {NumberIn(directory + "/cpu.cfs_quota_us"),
          NumberIn(directory + "/cpu.cfs_period_us")};
}

std::optional<CpuQuota::Share> ShareOf(const std::string& directory) {
  for (const char* const name : {"shares", "weight"}) {
    const int64_t value = NumberIn(absl::StrCat(directory, "/cpu.", name));
    if (value > 0) return CpuQuota::Share{name, value};
  }
  return std::nullopt;
}

}  // namespace

CpuQuota CpuQuota::Find() {
  return Find(ReadFile("/proc/self/cgroup"), ReadFile("/proc/self/mountinfo"),
              "");
}

CpuQuota CpuQuota::Find(absl::string_view cgroup, absl::string_view mountinfo,
                        const std::string& root) {
  CpuQuota quota;
  const std::optional<Membership> member = MembershipIn(cgroup);
  if (!member.has_value()) return quota;
  const std::optional<Mount> mount = MountOf(*member, mountinfo);
  if (!mount.has_value()) return quota;
  // What is mounted may be a group far down (in a container, its own).
  absl::string_view path = member->path;
  if (mount->root != "/" && !absl::ConsumePrefix(&path, mount->root)) path = "";
  std::string directory = absl::StrCat(root, mount->point);
  std::string group;
  quota.Add(directory, "/");
  for (const absl::string_view name :
       absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (name == "..") break;  // of another name space
    absl::StrAppend(&group, "/", name);
    quota.Add(absl::StrCat(directory, group), group);
  }
  quota.share_ = ShareOf(directory + group);
  return quota;
}

void CpuQuota::Add(const std::string& directory, std::string group) {
  const auto [quota_us, period_us] = LimitOf(directory);
  if (quota_us <= 0 || period_us <= 0) return;
  const int fd = open((directory + "/cpu.stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  limits_.push_back({std::move(group), quota_us, period_us, fd});
}

CpuQuota::CpuQuota(CpuQuota&& other) noexcept
    : limits_(std::exchange(other.limits_, {})), share_(other.share_) {}

CpuQuota& CpuQuota::operator=(CpuQuota&& other) noexcept {
  limits_.swap(other.limits_);
  share_ = other.share_;
  return *this;
}

CpuQuota::~CpuQuota() {
  for (const Limit& limit : limits_) close(limit.stat_fd);
}

double CpuQuota::processors() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Limit& limit : limits_) {
    least = std::min(least, static_cast<double>(limit.quota_us) /
                                static_cast<double>(limit.period_us));
  }
  return least;
}

CpuQuota::Throttled CpuQuota::Read() const {
  Throttled sum;
  for (const Limit& limit : limits_) {
    std::array<char, 1024> text;
    const ssize_t bytes = pread(limit.stat_fd, text.data(), text.size(), 0);
    if (bytes <= 0) continue;
    const std::vector<absl::string_view> words =
        Words({text.data(), static_cast<size_t>(bytes)});
    for (size_t i = 0; i + 1 < words.size(); i += 2) {
      const int64_t value = Number(words[i + 1]);
      if (words[i] == "nr_periods") sum.periods += static_cast<uint64_t>(value);
      if (words[i] == "nr_throttled") {
        sum.throttled += static_cast<uint64_t>(value);
      }
      if (words[i] == "throttled_time") sum.ns += value;  // version 1
      if (words[i] == "throttled_usec") sum.ns += 1000 * value;
    }
  }
  return sum;
}

}  // namespace edgewise
