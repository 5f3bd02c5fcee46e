#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "boost/actuator/frequency_timeline.h"
#include "boost/level.h"

namespace edgewise {

// The domain of this process's event loops.
inline constexpr std::string_view kProcessDomain = "@process";

// What runs at one emulated frequency: one event loop, or those of all
// processes that joined under the same name, whose frequency is the highest
// that any of them asks for. Members are known to live by a lock on a byte of
// the shared file, which the kernel takes back however they end.
class EmulatedDomain {
 public:
  // `name` empty: a domain of one's own. Else letters, digits, '.', '_', '-':
  // a file in /dev/shm of this user, gone with its last member (unless that is
  // killed: then with the next one); or the path of a file; or kProcessDomain,
  // which leaves no file. InvalidArgument: no such name, or members that live
  // were made with other frequencies or another delay. PermissionDenied:
  // another user's file.
  static absl::StatusOr<std::unique_ptr<EmulatedDomain>> Join(
      const Frequencies& frequencies, int64_t delay_ns,
      const std::string& name);

  // Withdraws what this member has asked for.
  ~EmulatedDomain();

  EmulatedDomain(const EmulatedDomain&) = delete;
  EmulatedDomain& operator=(const EmulatedDomain&) = delete;

  // This member's wish. By one thread at a time.
  void Ask(Level level);

  // From any thread, without waiting: false while another writes.
  bool Read(FrequencyTimeline* timeline) const;
  // The same, but waits for who writes.
  FrequencyTimeline ReadNow();
  // Changes when Read() has something new to tell.
  uint32_t version() const;

  // Counts Wake() and the Ask() for less. WaitForChange() sleeps until the
  // count is another than `seen`, or `until_ns` of MonotonicNs() (kNoTime: for
  // ever).
  uint32_t changes() const;
  void WaitForChange(uint32_t seen, int64_t until_ns) const;
  void Wake();

  bool shared() const { return fd_ >= 0; }

  // Whether this member is the one that steals on that processor; the place
  // becomes free when it ends.
  bool LeadOn(int cpu);

  // Takes back what members asked for that have ended.
  void ForgetTheDead();

  // What a thief's waking and going costs the processor beyond the time that
  // the thief sees, ns; measured by a member, used by all.
  int64_t overhead_ns() const;
  void SetOverhead(int64_t overhead_ns);

 private:
  struct Memory;

  EmulatedDomain() = default;
  absl::Status Map(const Frequencies& frequencies, int64_t delay_ns);
  absl::Status JoinFile(const Frequencies& frequencies, int64_t delay_ns);
  absl::Status Enter(const Frequencies& frequencies, int64_t delay_ns);
  void Initialize(const Frequencies& frequencies, int64_t delay_ns);
  bool AnyoneLives() const;
  void Leave();
  void Lock();
  void Recover();  // under the lock, as Publish()
  void Publish();

  std::string path_;  // of a shared one's file; empty: it has no name
  int fd_ = -1;
  int slot_ = 0;
  Memory* memory_ = nullptr;
};

}  // namespace edgewise
