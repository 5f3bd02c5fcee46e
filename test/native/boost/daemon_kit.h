#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "boost/actuator.h"
#include "boost/actuator/daemon_actuator.h"
#include "boost/daemon/arbiter.h"
#include "boost/daemon/boost_server.h"
#include "boost/daemon/event_log.h"
#include "boost/daemon/local_socket.h"
#include "boost/daemon/socket_closer.h"
#include "gtest/gtest.h"
#include "platform/clock.h"

namespace edgewise {

// What a RecordingActuator was asked for. Written by the daemon's thread, read
// by the test's.
class Asked {
 public:
  void Add(Level level) {
    const std::lock_guard lock(mutex_);
    levels_.push_back(level);
  }
  std::vector<Level> levels() const {
    const std::lock_guard lock(mutex_);
    return levels_;
  }
  Level last() const {
    const std::lock_guard lock(mutex_);
    return levels_.empty() ? Level::kLow : levels_.back();
  }

  std::atomic<bool> fails{false};

 private:
  mutable std::mutex mutex_;
  std::vector<Level> levels_;
};

class RecordingActuator : public Actuator {
 public:
  explicit RecordingActuator(std::shared_ptr<Asked> asked)
      : asked_(std::move(asked)) {}
  ~RecordingActuator() override { Restore(); }

  std::string_view name() const override { return "recording"; }
  std::string description() const override { return "a test's actuator"; }
  absl::Status Set(Level level) override {
    if (asked_->fails) return absl::UnavailableError("the governor is gone");
    asked_->Add(level);
    return absl::OkStatus();
  }
  void Restore() override {
    if (!std::exchange(restored_, true)) asked_->Add(Level::kLow);
  }
  int64_t call_ns() const override { return 1000; }
  int64_t transition_ns() const override { return 20'000; }
  Frequencies frequencies() const override {
    return {2'600'000, 3'300'000, 4'000'000};
  }

 private:
  const std::shared_ptr<Asked> asked_;
  bool restored_ = false;
};

// A directory that every user can reach, and which goes with the object.
class DaemonDirectory {
 public:
  DaemonDirectory() {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
    EXPECT_EQ(chmod(path_.c_str(), 0755), 0);
  }
  ~DaemonDirectory() { std::filesystem::remove_all(path_); }

  std::string socket() const { return path_ + "/run/boostd.sock"; }
  std::string path() const { return path_; }
  std::string LogText() const {
    std::ifstream file(path_ + "/log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "ew-dmn-XXXXXX";
};

struct DaemonSetup {
  BoostServer::Options options{.allowed_users = {geteuid()}};
  Arbiter::Limits limits{.max_level = Level::kHigh, .min_interval_ns = 100'000};
  // Runs when it listens and does not serve yet.
  std::function<void(const LocalListener&)> before;
};

// Serves one domain in the calling thread until `stop_fd` is readable.
inline void ServeDaemon(const DaemonDirectory& directory,
                        const DaemonSetup& setup,
                        std::unique_ptr<Actuator> actuator, int stop_fd) {
  const auto listener = LocalListener::At(directory.socket());
  ASSERT_TRUE(listener.ok()) << listener.status();
  if (setup.before) setup.before(**listener);
  const auto closer = SocketCloser::Start();
  ASSERT_TRUE(closer.ok()) << closer.status();
  std::vector<BoostDomain> domains;
  domains.push_back({.cpus = {}, .actuator = std::move(actuator)});
  const OwnedFd file(
      creat((directory.path() + "/log").c_str(), S_IRUSR | S_IWUSR));
  EventLog log(file.get());
  Arbiter arbiter(std::move(domains), setup.limits, MonotonicNs(),
                  [&](const absl::Status& status) {
                    log.Write(std::string(status.message()), MonotonicNs());
                  });
  const auto server = BoostServer::Start(setup.options, listener->get(),
                                         &arbiter, &log, closer->get());
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_TRUE((*server)->Run(stop_fd).ok());
}

// True as soon as `condition` is, false after five seconds.
inline bool Eventually(const std::function<bool()>& condition) {
  const int64_t until_ns = MonotonicNs() + 5'000'000'000;
  while (MonotonicNs() < until_ns) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return condition();
}

// A daemon in a thread of the test.
class RunningDaemon {
 public:
  explicit RunningDaemon(const DaemonSetup& setup = {})
      : asked_(std::make_shared<Asked>()), stop_(eventfd(0, EFD_CLOEXEC)) {
    thread_ = std::thread([this, setup] {
      ServeDaemon(directory_, setup,
                  std::make_unique<RecordingActuator>(asked_), stop_.get());
    });
    EXPECT_TRUE(Eventually([&] {
      return ConnectTo(socket(), /*timeout_ns=*/1'000'000'000).ok();
    }));
  }
  ~RunningDaemon() { Stop(); }

  void Stop() {
    eventfd_write(stop_.get(), 1);
    if (thread_.joinable()) thread_.join();
  }

  const DaemonDirectory& directory() const { return directory_; }
  std::string socket() const { return directory_.socket(); }
  Asked& asked() { return *asked_; }

  absl::StatusOr<std::unique_ptr<Actuator>> Client() const {
    return ClientOf(socket());
  }

  static absl::StatusOr<std::unique_ptr<Actuator>> ClientOf(
      const std::string& socket) {
    ActuatorConfig config;
    config.loop_tid = gettid();
    config.daemon_socket = socket;
    return MakeDaemonActuator(config);
  }

 private:
  const DaemonDirectory directory_;
  const std::shared_ptr<Asked> asked_;
  const OwnedFd stop_;
  std::thread thread_;
};

}  // namespace edgewise
