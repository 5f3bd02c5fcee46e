#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "boost/level.h"
#include "boost/signal.h"

namespace edgewise {

// Why a policy wants more than the low level; counted and reported.
enum class Reason : uint8_t {
  kNone,
  kGc,       // a collection runs
  kQueue,    // the queue is long
  kHead,     // the running event takes long
  kRequest,  // a request in flight would be slow (slo, Rubik, Adrenaline)
  kStatic,   // always
};

inline constexpr size_t kReasons = 6;

inline constexpr std::string_view kReasonNames[kReasons] = {
    "none", "gc", "queue", "head", "request", "static"};

struct Want {
  Level level = Level::kLow;
  Reason reason = Reason::kNone;
};

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// What the policies are told at their creation.
struct PolicyConfig {
  // A boost is worth it when the work still expected is longer than twice this:
  // what the actuator needs to change the frequency, ns.
  int64_t transition_ns = 0;
  double queue_factor = 2.5;  // of the average queue length (section 6.2)
  double head_factor = 2.5;   // of the average processing time of an event
  // The latency that slo and Rubik defend, ns; 0: the running percentile below
  // of what was seen.
  int64_t target_ns = 0;
  double percentile = 99;
  Frequencies frequencies{};
  // Adrenaline: the routes that are likely to be tail, by number.
  std::vector<uint32_t> tail_routes;
};

// Decides which frequency an event loop should run at. A policy is a pure
// function of the signals that it was given, in order: it reads no clock and
// touches no hardware. Owned by one thread at a time; On() neither allocates,
// locks nor blocks.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual std::string_view name() const = 0;

  // Takes what has happened. Times go back only behind what the controller's
  // thread has told while the loop's did not run (RunningTime).
  virtual void On(const Signal& signal) = 0;

  // The level wanted now, after the last signal.
  virtual Want want() const = 0;

  // When want() may change though nothing happens: kDeadline is due then. May
  // lie in the past: due now. kNever: not.
  virtual int64_t next_deadline_ns() const { return kNever; }

  // While it wants the low level: how long an event may run before it must be
  // told that the event has begun; no deadline is due sooner then, unless a
  // collection runs. 0: at once. kNever: of the loop's waits and events it
  // wants to know nothing.
  virtual int64_t patience_ns() const { return 0; }

  // Whether kQueueLength tells it anything: a look costs processor time.
  virtual bool watches_queue() const { return false; }
};

// The names that MakePolicy() takes.
std::vector<std::string_view> PolicyNames();

// The policy of a list of names ("gc", "gc,queue", "slo"): several names want
// the highest of what each wants, Combined being "gc,queue". InvalidArgument,
// naming the word and what is allowed, for others.
absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(std::string_view names,
                                                   const PolicyConfig& config);

}  // namespace edgewise
