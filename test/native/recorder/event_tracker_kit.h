#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <vector>

#include "platform/clock.h"
#include "platform/thread.h"
#include "recorder/event_tracker.h"
#include "test/native/recorder/trace_directory.h"

namespace edgewise {

// Plays the loop and Node: what it tells the tracker is what the hooks tell.
class EventTrackerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RecorderConfig config;
    config.path = directory_.file();
    config.meta_json = "{}";
    auto recorder = Recorder::Start(config);
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    recorder_ = *std::move(recorder);
    Start({ids_});
  }
  // What the tracker asks of the loop and of V8.
  struct Loop {
    int64_t timers_due_ns = -1;
    bool in_javascript = false;
    int64_t native_due_ns = -1;
    int64_t TimersDueNs() const { return timers_due_ns; }
    bool files_may_write = false;
    int polled_fd = kNoFd;
    bool native_began = false;
    int64_t NativeTimerDueNs() const { return native_due_ns; }
    bool NativeTimerBegan() const { return native_began; }
    bool FilesMayWrite(int) const { return files_may_write; }
    int PolledFd() const { return polled_fd; }
    bool InJavaScript() const { return in_javascript; }
  };

  void Execute(double id) { ids_[0] = id; }
  void Register(double count) { ids_[2] += count; }
  // `depth`: how many callbacks' scopes are entered.
  void Js(double id, uint32_t depth) {
    depth_ = depth;
    Execute(id);
    tracker_->EnterJs(loop_);
    Execute(0);
    depth_ = 0;
  }
  void Js(double id) { Js(id, id == 0 ? 0 : 1); }
  // Of a Node whose stack of contexts was found.
  void KnowDepth() { Start({ids_, &depth_}); }
  void Start(AsyncIds ids) {
    tracker_ =
        std::make_unique<EventTracker>(recorder_.get(), nullptr, ids, &words_);
  }
  // The loop comes back with work.
  void Poll(bool waited = true) {
    tracker_->PollBegin(Ticks());
    tracker_->PollEnd(waited, Ticks());
  }
  std::vector<Record> Finish() {
    tracker_->Detach();
    recorder_->Stop();
    return directory_.Read().records;
  }
  static EventType TypeOf(const Record& record) {
    return static_cast<EventType>(record.type);
  }

  TraceDirectory directory_;
  double ids_[4] = {0, 0, 100, -1};
  uint32_t depth_ = 0;
  SharedWords words_{};
  Loop loop_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<EventTracker> tracker_;
};

}  // namespace edgewise
