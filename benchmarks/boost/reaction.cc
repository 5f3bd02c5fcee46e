// How soon the actuator is asked, from causes whose instant is known: a
// collection begins, an event passes its threshold, the queue grows beyond its.

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "boost/controller.h"
#include "boost/policy.h"
#include "boost/policy/queue_boost.h"
#include "platform/clock.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

constexpr int64_t kUs = 1'000;
constexpr int64_t kUsualEventNs = 50 * kUs;
constexpr int64_t kLongestWaitNs = 20'000 * kUs;
constexpr int64_t kNothing = -1;
constexpr int kFiles = 8;
// Where hardly ever an event waits, three make a long queue (QueueBoost).
constexpr int kFilesOfALongQueue = 3;

// Notes when the high level was asked for.
class NotingActuator : public Actuator {
 public:
  explicit NotingActuator(std::atomic<int64_t>* raised_ns)
      : raised_ns_(raised_ns) {}

  std::string_view name() const override { return "noting"; }
  std::string description() const override { return "notes when it is asked"; }
  absl::Status Set(Level level) override {
    if (level == Level::kHigh) raised_ns_->store(MonotonicTickNs());
    return absl::OkStatus();
  }
  void Restore() override {}
  int64_t call_ns() const override { return 0; }
  int64_t transition_ns() const override { return 0; }
  Frequencies frequencies() const override {
    return {2'600'000, 3'300'000, 4'000'000};
  }

 private:
  std::atomic<int64_t>* const raised_ns_;
};

// An event loop on the calling thread, with files that another thread makes
// ready, and its controller.
class Loop {
 public:
  explicit Loop(int cpu)
      : cpu_(cpu), epoll_(epoll_create1(EPOLL_CLOEXEC)), random_(1) {
    for (int& file : files_) {
      file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
      epoll_event event{};
      event.events = EPOLLIN;
      epoll_ctl(epoll_, EPOLL_CTL_ADD, file, &event);
    }
    auto policy = MakePolicy("gc,queue", PolicyConfig{});
    ControllerConfig config;
    config.look_fd = epoll_;
    config.avoid_cpu = cpu;
    controller_ = std::make_unique<Controller>(
        *std::move(policy), std::make_unique<NotingActuator>(&raised_ns_),
        std::move(config));
    sender_ = HelperThread::Start("sender", [this] { Send(); }).value();
  }
  ~Loop() {
    stops_ = true;
    sender_.join();
    controller_.reset();
    for (const int file : files_) close(file);
    close(epoll_);
  }

  int64_t Collection() {
    Begin();
    const int64_t begin_ns = Post(SignalKind::kGcBegin, 1);
    const int64_t reaction_ns = ReactionNs(begin_ns);
    Post(SignalKind::kGcEnd, 1);
    End();
    return reaction_ns;
  }

  int64_t LongEvent() {
    const int64_t begin_ns = Begin();
    const int64_t reaction_ns = ReactionNs(begin_ns + QueueBoost::kLeastHeadNs);
    End();
    return reaction_ns;
  }

  // While an event runs that is not long yet.
  int64_t LongQueue() {
    std::uniform_int_distribution<int64_t> pause_ns(50 * kUs, 150 * kUs);
    overload_ns_ = 0;
    Begin();
    send_after_ns_ = pause_ns(random_);
    while (overload_ns_ == 0) {
    }
    const int64_t reaction_ns = ReactionNs(overload_ns_);
    while (send_after_ns_ != kNothing) {
    }
    for (const int file : files_) {
      eventfd_t count;
      eventfd_read(file, &count);
    }
    End();
    return reaction_ns;
  }

  // Averages and budgets are then those of a usual load.
  void Rest(int events) {
    for (int i = 0; i < events; ++i) UsualEvent();
  }

 private:
  int64_t Post(SignalKind kind, uint32_t value) {
    const int64_t now_ns = MonotonicTickNs();
    controller_->Post({.kind = kind, .value = value, .now_ns = now_ns});
    return now_ns;
  }

  int64_t Begin() {
    raised_ns_ = 0;
    Post(SignalKind::kLoopBusy, 1);
    return Post(SignalKind::kEventBegin, 0);
  }

  void End() { Post(SignalKind::kLoopIdle, 0); }

  void UsualEvent() {
    const int64_t until_ns = Begin() + kUsualEventNs;
    while (MonotonicTickNs() < until_ns) {
    }
    End();
    SleepNs(4 * kUsualEventNs);
  }

  void Send() {
    LeaveCpu(cpu_);
    UsePreciseSleep();
    while (!stops_) {
      if (send_after_ns_ == kNothing) {
        SleepNs(20 * kUs);
        continue;
      }
      SleepNs(send_after_ns_);
      for (int i = 0; i < kFiles; ++i) {
        if (i + 1 == kFilesOfALongQueue) overload_ns_ = MonotonicTickNs();
        eventfd_write(files_[i], 1);
      }
      send_after_ns_ = kNothing;
    }
  }

  // As long as the loop's event goes on.
  int64_t ReactionNs(int64_t cause_ns) const {
    while (raised_ns_ == 0 && MonotonicTickNs() < cause_ns + kLongestWaitNs) {
    }
    return (raised_ns_ == 0 ? cause_ns + kLongestWaitNs : raised_ns_.load()) -
           cause_ns;
  }

  const int cpu_;
  const int epoll_;
  std::array<int, kFiles> files_;
  std::mt19937 random_;
  std::atomic<int64_t> raised_ns_{0};
  std::unique_ptr<Controller> controller_;
  std::atomic<int64_t> send_after_ns_{kNothing};
  std::atomic<int64_t> overload_ns_{0};
  std::atomic<bool> stops_{false};
  HelperThread sender_;
};

nlohmann::ordered_json Summary(std::vector<int64_t> times_ns) {
  std::sort(times_ns.begin(), times_ns.end());
  const auto at = [&](double share) {
    return times_ns[static_cast<size_t>(
        share * static_cast<double>(times_ns.size() - 1))];
  };
  return {{"count", times_ns.size()},
          {"p50", at(0.5)},
          {"p99", at(0.99)},
          {"max", times_ns.back()}};
}

int Main(int argc, char** argv) {
  CLI::App app{"How soon the actuator is asked, ns, as JSON"};
  int trials = 2000;
  int cpu = 0;
  app.add_option("--trials", trials, "of each kind")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--loop-cpu", cpu, "the event loop's")
      ->check(CLI::Range(0, 1023));
  CLI11_PARSE(app, argc, argv);

  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(cpu, &only);
  std::vector<int64_t> gc, queue, head;
  // The controller's thread has all processors, less the loop's.
  Loop loop(cpu);
  if (sched_setaffinity(0, sizeof(only), &only) != 0) {
    std::cerr << "cannot run on CPU " << cpu << "\n";
    return 1;
  }
  loop.Rest(1000);
  for (int i = 0; i < trials; ++i) {
    gc.push_back(loop.Collection());
    loop.Rest(20);
    queue.push_back(loop.LongQueue());
    loop.Rest(20);
    head.push_back(loop.LongEvent());
    loop.Rest(20);
  }
  std::cout << nlohmann::ordered_json{{"gc", Summary(gc)},
                                      {"queue", Summary(queue)},
                                      {"head", Summary(head)}}
                   .dump(2)
            << "\n";
  return 0;
}

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) { return edgewise::Main(argc, argv); }
