#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "boost/actuator.h"
#include "boost/guardian.h"
#include "platform/clock.h"
#include "test/native/boost/fake_sysfs.h"

namespace edgewise {

// 100 ms, on a loaded machine.
inline constexpr int64_t kRestoredNs = 1'000'000'000;

inline std::string GuardianProgram() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() /
         "guardian_program";
}

inline void SleepUs(int64_t us) {
  const timespec pause{us / 1'000'000, us % 1'000'000 * 1000};
  nanosleep(&pause, nullptr);
}

// Nanoseconds until `done`; -1: not in time.
inline int64_t WaitUntil(const std::function<bool()>& done,
                         int64_t timeout_ns) {
  const int64_t begin_ns = MonotonicNs();
  while (!done()) {
    if (MonotonicNs() - begin_ns > timeout_ns) return -1;
    SleepUs(100);
  }
  return MonotonicNs() - begin_ns;
}

// In a tree of two policies; guardians left by an owner that was killed come to
// this process, which waits for their end.
class GuardianTest : public testing::Test {
 protected:
  GuardianTest() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    // A sanitizer's leak check is a process that a guardian starts at its end:
    // a guardian killed amid it would leave it to this one.
    setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
    sysfs_.AddPolicy(0);
    sysfs_.AddPolicy(1);
    config_.name = "cpufreq";
    config_.root = sysfs_.root();
    config_.guardian_program = GuardianProgram();
  }
  ~GuardianTest() override {
    unsetenv("LSAN_OPTIONS");
    prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  std::string Governor(int policy) const {
    return sysfs_.Read(FakeSysfs::Policy(policy, "scaling_governor"));
  }

  std::vector<SavedSetting> Saved() const {
    return {
        {{sysfs_.Path(FakeSysfs::Policy(0, "scaling_governor")), "schedutil"},
         {}}};
  }

  auto Start() const {
    return Guardian::Start(GuardianProgram(), sysfs_.root(), Saved());
  }

  bool Restored() const {
    return Governor(0) == "schedutil" && Governor(1) == "schedutil";
  }

  void Take(int policy) const {
    sysfs_.Write(FakeSysfs::Policy(policy, "scaling_governor"), "userspace");
  }

  FakeSysfs sysfs_;
  ActuatorConfig config_;
};

}  // namespace edgewise
