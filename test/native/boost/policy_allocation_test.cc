#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>
#include <vector>

#include "test/native/boost/loop_simulator.h"
#include "test/native/boost/policy_kit.h"

namespace {

// Of this thread, so that a test framework's threads do not count.
thread_local uint64_t allocations = 0;

}  // namespace

// Sanitizers bring their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EDGEWISE_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EDGEWISE_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef EDGEWISE_COUNTS_ALLOCATIONS
#define EDGEWISE_COUNTS_ALLOCATIONS 1
#endif

#if EDGEWISE_COUNTS_ALLOCATIONS
// Every allocation of the test program goes through here; the array and the
// nothrow forms call this one.
void* operator new(size_t size) {
  ++allocations;
  void* const memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) std::abort();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}
#endif

namespace edgewise {
namespace {

// Keeps what it is told.
class Listener : public Policy {
 public:
  std::string_view name() const override { return "listener"; }
  void On(const Signal& signal) override { signals.push_back(signal); }
  Want want() const override { return {}; }

  std::vector<Signal> signals;
};

TEST(PolicyAllocation, NoneWhileSignalsAreTaken) {
  if (!EDGEWISE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer allocates";
  WorkloadShape shape;
  shape.routes = {
      {.share = 0.9, .mean_ms = 0.6, .sigma = 1, .events = 2, .io_ms = 1},
      {.share = 0.1, .mean_ms = 3, .sigma = 1}};
  shape.seconds = 10;
  const Workload workload = WorkloadMaker(shape, 1).Make();
  Listener listener;
  LoopSimulator(workload, {}, &listener).Run();
  ASSERT_GT(listener.signals.size(), 50'000U);

  PolicyConfig config = PaperConfig();
  config.tail_routes = {2};
  for (const std::string_view name : PolicyNames()) {
    const auto policy = MakeOrDie(name, config);
    uint64_t levels = 0;
    const uint64_t before = allocations;
    for (const Signal& signal : listener.signals) {
      policy->On(signal);
      levels += static_cast<uint64_t>(policy->want().level);
    }
    EXPECT_EQ(allocations, before) << name;
    EXPECT_EQ(levels > 0, name != "low") << name;
  }
}

}  // namespace
}  // namespace edgewise
