#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "test/native/analysis/heap_record.h"
#include "test/native/analysis/trace_builder.h"

namespace edgewise {

struct RandomTraceOptions {
  uint32_t seed = 1;
  uint32_t events = 200;
  bool faults = false;  // losses, gaps, missing starts and ends
  bool cuts = true;     // into chunks
  uint32_t process = 1;
  bool patched = false;  // with what only a patched Node's recorder writes
};

// Well-formed traces of random shape: requests that overlap, share events, nest
// continuations, end in foreign slices; collections within and between events.
class RandomTraceGenerator {
 public:
  explicit RandomTraceGenerator(const RandomTraceOptions& options)
      : options_(options),
        random_(options.seed),
        trace_(options.process, 0, options.seed % 2 == 0 ? 1 : 2.5) {}

  std::string Run() {
    trace_.Meta(options_.patched ? TraceBuilder::kPatchedMeta
                                 : TraceBuilder::kMeta);
    for (uint32_t i = 0; i < options_.events; ++i) {
      if (Chance(20)) Idle();
      if (Chance(10)) Gc();
      OneEvent();
      if (Chance(8) && options_.cuts) trace_.Cut(now_);
      if (options_.faults && Chance(5)) Fault();
    }
    trace_.Finish(now_ + 5);
    return trace_.Bytes();
  }

 private:
  struct Pending {
    uint32_t request;
    uint64_t async_id;
    uint64_t sequence;
    int64_t since;
  };

  uint32_t Pick(uint32_t below) { return random_() % below; }
  bool Chance(uint32_t percent) { return Pick(100) < percent; }
  int64_t Advance(uint32_t most) { return now_ += Pick(most + 1); }
  void Idle() { now_ += 200 + Pick(800); }

  void Gc() {
    const int64_t begin = Advance(20);
    const auto type = static_cast<GcType>(Pick(
        options_.patched ? static_cast<uint32_t>(GcType::kMaxValue) + 1 : 5));
    if (Chance(30)) trace_.Gc(GcType::kWeakCallbacks, begin, begin + 3, 1);
    now_ = begin + 5 + Pick(100);
    trace_.Gc(type, begin, now_);
    const auto bytes = static_cast<uint32_t>(now_) % (1 << 20);
    trace_.Raw(HeapRecord(trace_, begin, bytes, bytes / 3, bytes * 2, bytes * 3,
                          1 << 20));
  }

  void Fault() {
    switch (Pick(3)) {
      case 0:
        trace_.Loss(now_, 1 + Pick(5));
        break;
      case 1:
        trace_.Cut(now_, 1 + Pick(3));
        break;
      default:
        trace_.End(now_, 100'000 + Pick(10));
        break;
    }
  }

  // What the running slice (of number `sequence`) leaves pending.
  void Leave(uint32_t request, uint64_t sequence) {
    const uint32_t count = 1 + (Chance(30) ? Pick(3) : 0);
    for (uint32_t i = 0; i < count; ++i) {
      pending_.push_back({request, trace_.Register(), sequence, now_});
    }
  }

  // Ends the request, or lets it go on.
  void Progress(uint32_t request, uint64_t sequence) {
    Advance(50);
    const bool open =
        std::find(open_.begin(), open_.end(), request) != open_.end();
    if (!open) return;
    if (Chance(30)) {
      End(request, 0);
    } else {
      Leave(request, sequence);
    }
  }

  void End(uint32_t request, uint64_t executing_id) {
    const auto outcome = Chance(5)   ? Outcome::kAborted
                         : Chance(5) ? Outcome::kFailed
                                     : Outcome::kFinished;
    trace_.End(now_, request, "GET /" + std::to_string(request % 4),
               executing_id, 200 + request % 3, outcome);
    std::erase(open_, request);
  }

  Pending TakePending() {
    const size_t at = Pick(static_cast<uint32_t>(pending_.size()));
    const Pending taken = pending_[at];
    pending_[at] = pending_.back();
    pending_.pop_back();
    return taken;
  }

  void OneEvent() {
    TraceBuilder::EventSpec spec;
    spec.type = static_cast<EventType>(Pick(25));
    spec.kind = static_cast<ReadyKind>(1 + Pick(5));
    const int64_t begin = now_;
    const uint64_t sequence = trace_.sequence();
    int64_t since = 0;
    uint32_t prefix = 0;
    Advance(30);
    const uint32_t choice = Pick(10);
    if (choice < 3 || pending_.empty()) {
      prefix = ++requests_;
      trace_.Start(now_, prefix,
                   Chance(20) ? RequestKind::kCustom : RequestKind::kHttp1,
                   static_cast<uint32_t>(now_));
      open_.push_back(prefix);
      spec.id = 3;
      Progress(prefix, sequence);
    } else if (choice < 8) {
      const Pending pending = TakePending();
      spec.id = pending.async_id;
      since = pending.since;
      Progress(pending.request, sequence);
    }
    while (Chance(40)) Slice();
    while (options_.patched && Chance(50)) Call();
    if (Chance(10)) Gc();
    if (Chance(5) && !open_.empty()) {
      Advance(10);
      End(open_[Pick(static_cast<uint32_t>(open_.size()))],
          pending_.empty() ? 0 : pending_[0].async_id);
    }
    Advance(30);
    if (options_.patched) Times(begin);
    if (!Chance(15)) {
      const int64_t earliest = std::max(since, begin - 300);
      spec.ready = std::max<int64_t>(
          0, begin - Pick(static_cast<uint32_t>(
                         std::max<int64_t>(1, begin - earliest))));
    }
    trace_.Event(begin, now_, spec);
  }

  void Slice() {
    Advance(20);
    if (pending_.empty() || Chance(20)) {
      trace_.Slice(now_, 0);
      return;
    }
    const Pending pending = TakePending();
    const bool by_id = Chance(40);
    const uint64_t number = trace_.Slice(now_, by_id ? 0 : pending.sequence,
                                         by_id ? pending.async_id : 0);
    if (Chance(10)) Gc();
    Progress(pending.request, number);
  }

  // Calls functions of other slices.
  void Call() {
    Advance(10);
    uint64_t source = Pick(8);
    uint32_t request = 0;
    if (!pending_.empty() && !Chance(10)) {
      const Pending& called =
          pending_[Pick(static_cast<uint32_t>(pending_.size()))];
      source = called.sequence;
      request = called.request;
    }
    if (source >= trace_.sequence()) return;
    if (Chance(30)) Gc();
    trace_.Edge(now_, source,
                Chance(50) ? EdgeKind::kClosure : EdgeKind::kBound);
    if (Chance(20)) Gc();
    Advance(20);
    const bool open =
        std::find(open_.begin(), open_.end(), request) != open_.end();
    if (Chance(20) && open) {
      End(request, 0);
    } else if (Chance(20) && !open_.empty()) {
      End(open_[Pick(static_cast<uint32_t>(open_.size()))], 0);
    }
  }

  // At most what there is, mostly.
  void Times(int64_t begin) {
    const auto most = static_cast<uint32_t>(now_ - begin) / 2 + 1;
    if (Chance(60)) trace_.Times(now_, Pick(most), Pick(most));
  }

  const RandomTraceOptions options_;
  std::mt19937 random_;
  TraceBuilder trace_;
  int64_t now_ = 1000;
  uint32_t requests_ = 0;
  std::vector<uint32_t> open_;
  std::vector<Pending> pending_;
};

inline std::string RandomTrace(const RandomTraceOptions& options) {
  return RandomTraceGenerator(options).Run();
}

}  // namespace edgewise
