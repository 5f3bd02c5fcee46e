#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "boost/level.h"

// What edgewise-boostd and its clients say to each other (docs/boostd.md). One
// Hello, one Welcome over a SOCK_SEQPACKET socket; from then on shared memory
// and an eventfd. Both are of one build, on one machine: no byte order, and a
// version that must be the same.

namespace edgewise {

inline constexpr const char* kDefaultBoostdSocket = "/run/edgewise/boostd.sock";

inline constexpr uint32_t kBoostdMagic = 0x44425745;  // "EWBD"
inline constexpr uint32_t kBoostdVersion = 1;

enum class HelloKind : uint32_t { kBoost = 1, kStatus = 2 };

struct Hello {
  uint32_t magic = kBoostdMagic;
  uint32_t version = kBoostdVersion;
  HelloKind kind = HelloKind::kBoost;
  int32_t loop_tid = 0;  // as the client sees it, in its own pid namespace
  Frequencies frequencies_khz{};  // wanted; zeros: the daemon's
  uint32_t reserved = 0;
};
static_assert(sizeof(Hello) == 32);

enum class Verdict : uint32_t {
  kWelcome,
  kUser,         // not in the allow list
  kGarbage,      // no Hello at all
  kVersion,      // of another build
  kThread,       // not a thread of the peer
  kFrequencies,  // not ascending
  kFull,         // no slot left
};

inline constexpr size_t kVerdicts = 7;

inline constexpr const char* kVerdictTexts[kVerdicts] = {
    "welcome",
    "the user is not in the allow list",
    "the message is not a greeting",
    "it is of another version",
    "the thread is not the client's",
    "the frequencies are not ascending",
    "there are too many clients",
};

constexpr const char* TextOf(Verdict verdict) {
  const auto index = static_cast<size_t>(verdict);
  return index < kVerdicts ? kVerdictTexts[index] : "of an unknown reason";
}

// How each answer begins. A refusal is this alone.
struct AnswerHead {
  uint32_t magic = kBoostdMagic;
  uint32_t version = kBoostdVersion;
  Verdict verdict = Verdict::kWelcome;
};

// The answer to HelloKind::kBoost. With it come two descriptors: the memory of
// a ClientPage, then the eventfd that is its doorbell.
struct Welcome {
  AnswerHead head;
  uint32_t max_level = 0;         // the highest that is granted
  Frequencies frequencies_khz{};  // of the daemon's actuator
  uint32_t domains = 0;  // frequency domains that the thread may run in
  int64_t call_ns = 0;   // of the daemon's actuator
  int64_t transition_ns = 0;
  int64_t min_interval_ns = 0;
  std::array<char, 160> actuator{};  // its description, zero-terminated
};

// A level and the number of the request that it belongs to, in one word.
struct LevelWord {
  Level level;
  uint64_t sequence;
};

constexpr uint64_t PackLevel(LevelWord word) {
  return word.sequence << 8 | static_cast<uint64_t>(word.level);
}

// True if the low byte is a level; a client may write anything.
constexpr bool IsLevelWord(uint64_t word) { return (word & 0xff) < kLevels; }

constexpr LevelWord UnpackLevel(uint64_t word) {
  return {static_cast<Level>(word & 0xff), word >> 8};
}

// Memory of one client, which only it and the daemon map. The client can write
// all of it, so the daemon believes nothing that it reads here: it keeps its
// own copies, and a request is checked after one load.
struct ClientPage {
  // Client writes, daemon reads. Sequentially consistent, see `armed`.
  alignas(64) std::atomic<uint64_t> request;

  // 1: the daemon sleeps, or soon will: whoever asks must ring, and takes the 1
  // away, so that one ring is enough. Both write. The client stores `request`,
  // then exchanges `armed`; the daemon stores `armed`, then loads `request`: by
  // sequential consistency at least one of them sees what the other did, and no
  // request is slept over.
  alignas(64) std::atomic<uint32_t> armed;

  // Daemon writes, client reads: the level that the client's last request
  // gave, and when that is (to be) in effect, ticks. `granted` is stored last,
  // with release, and loaded with acquire.
  alignas(64) std::atomic<uint64_t> granted;
  std::atomic<uint64_t> done_ticks;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(std::atomic<uint32_t>::is_always_lock_free);

// The answer to HelloKind::kStatus: counters since the daemon's start.
struct BoostdStatus {
  AnswerHead head;
  uint32_t domains = 0;
  uint64_t clients = 0;  // now
  uint64_t joined = 0;
  uint64_t requests = 0;   // changes of level that were applied
  uint64_t boosts = 0;     // of those, from the low level to a higher one
  uint64_t throttled = 0;  // times that a client had to wait
  uint64_t expelled = 0;   // clients that broke the protocol
  uint64_t timeouts = 0;   // connections that never said a word
  uint64_t actuator_errors = 0;
  std::array<uint64_t, kVerdicts> refused{};  // by Verdict; [0] is not used
  std::array<int64_t, kLevels> level_ns{};    // summed over the domains
};

}  // namespace edgewise
