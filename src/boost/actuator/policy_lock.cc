#include "boost/actuator/policy_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "boost/actuator/byte_lock.h"
#include "boost/sysfs.h"

namespace edgewise {
namespace {

// One file for all policies, a byte for each. Not the policy's own file in
// sysfs: every user can open that for reading, and so keep it locked.
std::string PathBelow(const std::string& root) {
  // Where nobody else could have made it. Others have no such place, and only a
  // file that is theirs will do.
  return geteuid() == 0
             ? absl::StrCat(root, "/run/edgewise-cpufreq.lock")
             : absl::StrCat(root, "/dev/shm/edgewise-cpufreq-", geteuid());
}

absl::StatusOr<off_t> NumberOf(const FrequencyDomain& domain) {
  const size_t slash = domain.path.rfind('/') + 1;
  uint32_t number = 0;
  if (!absl::SimpleAtoi(absl::StripPrefix(domain.path.substr(slash), "policy"),
                        &number)) {
    return absl::UnavailableError(
        absl::StrCat(domain.path, ": a policy without a number"));
  }
  return number;
}

}  // namespace

absl::StatusOr<PolicyLock> PolicyLock::Take(
    const std::string& root, const std::vector<FrequencyDomain>& domains) {
  const std::string path = PathBelow(root);
  OwnedFd file(
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat info {};
  if (file.get() < 0 || fstat(file.get(), &info) != 0) {
    return ErrnoStatus(errno, path);
  }
  if (info.st_uid != geteuid()) {
    return absl::UnavailableError(
        absl::StrCat(path, " belongs to user ", info.st_uid));
  }
  for (const FrequencyDomain& domain : domains) {
    const absl::StatusOr<off_t> number = NumberOf(domain);
    if (!number.ok()) return number.status();
    if (TryLockByte(file.get(), *number)) continue;
    if (errno != EAGAIN && errno != EACCES) return ErrnoStatus(errno, path);
    return absl::UnavailableError(absl::StrCat(
        "CPU ", domain.cpus,
        ": another process or event loop changes its frequency already; next "
        "step: edgewise boostd, which decides for all"));
  }
  return PolicyLock(std::move(file));
}

}  // namespace edgewise
