#include "boost/actuator/daemon_actuator.h"

#include <errno.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "boost/daemon/client_memory.h"
#include "boost/daemon/greeting.h"
#include "boost/daemon/local_socket.h"
#include "boost/daemon/protocol.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

// A daemon that is awake has no need of a ring, and one that died awake would
// never be found out: so often the socket is looked at nevertheless.
constexpr double kLookNs = 1e6;

// The requests that measure it, with pauses in which the daemon falls asleep.
constexpr int kProbes = 7;
constexpr int64_t kProbePauseNs = 200'000;
constexpr int64_t kProbeTimeoutNs = 100'000'000;

int64_t NsSince(uint64_t began, uint64_t ticks) {
  const auto passed = static_cast<int64_t>(ticks - began);
  return static_cast<int64_t>(static_cast<double>(passed) / TicksPerNs());
}

class DaemonActuator : public Actuator {
 public:
  DaemonActuator(OwnedFd socket, OwnedFd doorbell, MappedClientPage page,
                 const Welcome& welcome, std::string description)
      : socket_(std::move(socket)),
        doorbell_(std::move(doorbell)),
        page_(std::move(page)),
        frequencies_(welcome.frequencies_khz),
        description_(std::move(description)),
        look_ticks_(NsToTicks(kLookNs)) {}

  ~DaemonActuator() override { Restore(); }

  std::string_view name() const override { return "daemon"; }
  std::string description() const override { return description_; }

  absl::Status Set(Level level) override {
    if (level == level_ || ended_) return absl::OkStatus();
    level_ = level;
    if (Request(level)) return absl::OkStatus();
    ended_ = true;
    return absl::UnavailableError(
        "boostd has ended: the frequency stays as it is without it");
  }

  // The daemon restores when it sees the connection's end, whatever the
  // rate at which this client has asked.
  void Restore() override {
    ended_ = true;
    socket_ = OwnedFd();
  }

  int64_t call_ns() const override { return call_ns_; }
  int64_t transition_ns() const override { return transition_ns_; }
  Frequencies frequencies() const override { return frequencies_; }

  // Requests of the low level, which change nothing. False: no answer came.
  bool Measure(const Welcome& welcome) {
    std::array<int64_t, kProbes> calls{};
    std::array<int64_t, kProbes> transitions{};
    for (int i = 0; i < kProbes; ++i) {
      const timespec pause{0, kProbePauseNs};
      nanosleep(&pause, nullptr);
      const uint64_t began = Ticks();
      if (!Request(Level::kLow)) return false;
      calls[i] = NsSince(began, Ticks());
      while (AnsweredSequence() != sequence_) {
        if (NsSince(began, Ticks()) > kProbeTimeoutNs) return false;
        sched_yield();
      }
      transitions[i] =
          NsSince(began, page_->done_ticks.load(std::memory_order_relaxed));
    }
    std::ranges::nth_element(calls, calls.begin() + kProbes / 2);
    std::ranges::nth_element(transitions, transitions.begin() + kProbes / 2);
    call_ns_ = calls[kProbes / 2];
    // The daemon's call was not among what was measured: nothing changed.
    transition_ns_ = transitions[kProbes / 2] + welcome.call_ns;
    return true;
  }

 private:
  // False: the daemon has ended.
  bool Request(Level level) {
    // Both sequentially consistent: see ClientPage::armed.
    page_->request.store(PackLevel({level, ++sequence_}),
                         std::memory_order_seq_cst);
    const bool ring = page_->armed.exchange(0, std::memory_order_seq_cst) != 0;
    if (ring) {
      eventfd_write(doorbell_.get(), 1);
    } else if (Ticks() - looked_ticks_ < look_ticks_) {
      return true;
    }
    looked_ticks_ = Ticks();
    char byte;
    const ssize_t size = recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
  }

  uint64_t AnsweredSequence() const {
    // Acquire pairs with the daemon's release: done_ticks is the answer's.
    return UnpackLevel(page_->granted.load(std::memory_order_acquire)).sequence;
  }

  OwnedFd socket_;
  const OwnedFd doorbell_;
  const MappedClientPage page_;
  const Frequencies frequencies_;
  const std::string description_;
  const uint64_t look_ticks_;
  int64_t call_ns_ = 0;
  int64_t transition_ns_ = 0;
  // Of the thread that calls Set().
  Level level_ = Level::kLow;
  uint64_t sequence_ = 0;
  uint64_t looked_ticks_ = 0;  // when the socket was last looked at
  bool ended_ = false;
};

std::string Describe(const std::string& path, const Welcome& welcome,
                     const Frequencies& wanted) {
  const auto end = std::ranges::find(welcome.actuator, '\0');
  std::string text = absl::StrCat("boostd at ", path, ": ",
                                  std::string(welcome.actuator.begin(), end));
  if (welcome.max_level < static_cast<uint32_t>(Level::kHigh)) {
    absl::StrAppend(&text, "; at most ",
                    std::string(kLevelNames[welcome.max_level]));
  }
  if (wanted != Frequencies{} && wanted != welcome.frequencies_khz) {
    absl::StrAppend(&text, "; the frequencies are those of the daemon");
  }
  return text;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Actuator>> MakeDaemonActuator(
    const ActuatorConfig& config) {
  const std::string path = config.daemon_socket.empty()
                               ? std::string(kDefaultBoostdSocket)
                               : config.daemon_socket;
  Welcome welcome;
  absl::StatusOr<Greeted> greeted = Greet(
      path,
      {.loop_tid = config.loop_tid, .frequencies_khz = config.frequencies},
      std::as_writable_bytes(std::span(&welcome, 1)), 2);
  if (!greeted.ok()) return greeted.status();
  auto& [memory, doorbell] = greeted->received.fds;
  absl::StatusOr<MappedClientPage> page = MapClientMemory(memory.get());
  if (!page.ok() || doorbell.get() < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("what listens at ", path, " is no boostd"));
  }
  welcome.max_level =
      std::min(welcome.max_level, static_cast<uint32_t>(Level::kHigh));
  auto actuator = std::make_unique<DaemonActuator>(
      std::move(greeted->socket), std::move(doorbell), *std::move(page),
      welcome, Describe(path, welcome, config.frequencies));
  if (!actuator->Measure(welcome)) {
    return absl::UnavailableError(
        absl::StrCat("boostd at ", path, " does not answer"));
  }
  return actuator;
}

}  // namespace edgewise
