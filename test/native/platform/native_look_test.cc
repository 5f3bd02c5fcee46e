#include "platform/native_look.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "platform/thread.h"

namespace edgewise {
namespace {

// What a thread has told of itself, in its signal's handler.
struct Told {
  std::atomic<int> looks{0};
  std::atomic<uintptr_t> pc{0};
  std::atomic<uintptr_t> sp{0};

  static void Tell(void* self, const NativeLook::Registers& registers) {
    auto* const told = static_cast<Told*>(self);
    told->pc.store(registers.pc);
    told->sp.store(registers.sp);
    told->looks.fetch_add(1);
  }
};

// A thread that spins, and can be looked at.
class Spinning {
 public:
  Spinning()
      : thread_([this] {
          stack_ = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
          NativeLook look(&Told::Tell, &told_);
          look_.store(&look);
          while (!stop_.load()) {
          }
        }) {
    while (look_.load() == nullptr) SleepNs(100'000);
  }
  ~Spinning() {
    stop_.store(true);
    thread_.join();
  }
  // Until it was looked at so often; it may be preempted.
  void LookUntil(int looks) {
    for (int i = 0; i < 2000 && told_.looks.load() < looks; ++i) {
      look_.load()->Look();
      SleepNs(1'000'000);
    }
  }
  NativeLook& look() { return *look_.load(); }
  const Told& told() const { return told_; }
  uintptr_t stack() const { return stack_; }

 private:
  Told told_;
  uintptr_t stack_ = 0;
  std::atomic<NativeLook*> look_{nullptr};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(NativeLookTest, AThreadThatRunsTellsItsRegisters) {
  Spinning spinning;
  ASSERT_TRUE(spinning.look().status().ok()) << spinning.look().status();
  spinning.LookUntil(10);
  EXPECT_GE(spinning.told().looks.load(), 10);
  EXPECT_NE(spinning.told().pc.load(), 0u);
  EXPECT_LT(spinning.stack() - spinning.told().sp.load(), 1u << 20)
      << "its own stack";
}

TEST(NativeLookTest, AThreadThatWaitsIsLeftAlone) {
  Told told;
  std::atomic<NativeLook*> look{nullptr};
  std::atomic<int> error{-1};
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    NativeLook own(&Told::Tell, &told);
    look.store(&own);
    timespec time = {.tv_sec = 0, .tv_nsec = 200'000'000};
    error.store(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr));
    while (!stop.load()) SleepNs(1'000'000);
  });
  while (look.load() == nullptr) SleepNs(100'000);
  SleepNs(20'000'000);  // It sleeps by now.
  for (int i = 0; i < 20; ++i) {
    look.load()->Look();
    SleepNs(1'000'000);
  }
  const int looks = told.looks.load();
  while (error.load() == -1) SleepNs(1'000'000);
  stop.store(true);
  thread.join();
  EXPECT_EQ(looks, 0);
  EXPECT_EQ(error.load(), 0) << "not EINTR";
}

// An application that takes the signal has it.
TEST(NativeLookTest, ASignalThatIsNoLongerOursIsNotSent) {
  Spinning spinning;
  int number = 0;
  for (int i = SIGRTMAX; number == 0 && i >= SIGRTMIN; --i) {
    struct sigaction found {};
    sigaction(i, nullptr, &found);
    if ((found.sa_flags & SA_SIGINFO) != 0) number = i;
  }
  ASSERT_NE(number, 0);
  static std::atomic<int> theirs{0};
  struct sigaction ours {};
  struct sigaction other {};
  other.sa_handler = [](int) { theirs.fetch_add(1); };
  sigaction(number, &other, &ours);
  for (int i = 0; i < 20; ++i) {
    spinning.look().Look();
    SleepNs(1'000'000);
  }
  EXPECT_EQ(theirs.load(), 0);
  EXPECT_EQ(spinning.told().looks.load(), 0);
  sigaction(number, &ours, nullptr);
  spinning.LookUntil(1);
  EXPECT_GE(spinning.told().looks.load(), 1);
}

TEST(NativeLookTest, ManyThreadsAreTooMany) {
  std::vector<std::unique_ptr<NativeLook>> looks;
  Told told;
  for (int i = 0; i < 100; ++i) {
    looks.push_back(std::make_unique<NativeLook>(&Told::Tell, &told));
  }
  EXPECT_TRUE(looks.front()->status().ok());
  EXPECT_FALSE(looks.back()->status().ok());
  looks.back()->Look();
  looks.clear();
  EXPECT_TRUE(NativeLook(&Told::Tell, &told).status().ok());
}

}  // namespace
}  // namespace edgewise
