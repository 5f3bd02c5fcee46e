#include "analysis/tail/latency_pass.h"

#include <algorithm>

#include "analysis/builder/edg_builder.h"
#include "analysis/builder/request_table.h"

namespace edgewise {
namespace {

bool SlowerFirst(const SlowestRequests::Entry& a,
                 const SlowestRequests::Entry& b) {
  if (a.latency_ns != b.latency_ns) return a.latency_ns > b.latency_ns;
  if (a.key.file != b.key.file) return a.key.file < b.key.file;
  return a.key.ordinal < b.key.ordinal;
}

// Opens and closes requests exactly as the EdgBuilder does, so that both passes
// count the same ones.
class LatencyPass {
 public:
  LatencyPass(EventStream* stream, const LatencyPassOptions& options,
              RouteTable* routes, RequestRoutes* request_routes,
              LatencyStatistics* statistics, SlowestRequests* slowest)
      : stream_(stream),
        options_(options),
        routes_(routes),
        request_routes_(request_routes),
        statistics_(statistics),
        slowest_(slowest) {}

  void Run() {
    while (true) {
      const EventStream::Item item = stream_->Next();
      if (item == EventStream::Item::kEvent) {
        OnEvent(stream_->event());
        continue;
      }
      OnBreak();
      if (item == EventStream::Item::kEnd) return;
      if (item == EventStream::Item::kRestart) CloseAll();
    }
  }

 private:
  struct Start {
    int64_t ready_ns;
  };

  void OnEvent(const Event& event) {
    for (const InnerRecord& record : event.inner) {
      if (record.kind == RecordKind::kRequestStart) OnStart(record);
      if (record.kind == RecordKind::kRequestEnd) OnEnd(record);
    }
  }

  void OnStart(const InnerRecord& record) {
    const RequestRef same = requests_.Find(record.aux);
    if (requests_.IsOpen(same)) requests_.Close(same);
    if (requests_.full()) requests_.Close(requests_.Oldest());
    const RequestRef request = requests_.Start(record.aux);
    const int64_t ready_ns = record.ready_ns;
    requests_.At(request).state.ready_ns = ready_ns;
    if (count_from_ns_ == kUnset && options_.skip_ns > 0) {
      count_from_ns_ = ready_ns + options_.skip_ns;
    }
  }

  void OnEnd(const InnerRecord& record) {
    const RequestRef request = requests_.Find(record.aux);
    if (!requests_.IsOpen(request)) return;
    const auto& slot = requests_.At(request);
    const std::string* text = stream_->StringOf(record.text);
    const uint32_t route =
        text != nullptr ? routes_->Intern(*text) : RouteTable::kUnknown;
    request_routes_->Note(slot.ordinal, route);
    const bool wanted = options_.routes.Has(routes_->Text(route)) &&
                        slot.state.ready_ns >= count_from_ns_;
    if (wanted && static_cast<Outcome>(record.type) != Outcome::kAborted) {
      const int64_t latency_ns = std::max<int64_t>(
          0, EndOf(record, slot.state.ready_ns) - slot.state.ready_ns);
      statistics_->AddLatency(route, latency_ns);
      slowest_->Offer(latency_ns, {options_.file, slot.ordinal});
    }
    requests_.Close(request);
  }

  void OnBreak() {
    for (const InnerRecord& record : stream_->orphans()) {
      const RequestRef open = requests_.Find(record.aux);
      const bool is_request = record.kind == RecordKind::kRequestStart ||
                              record.kind == RecordKind::kRequestEnd;
      if (is_request && requests_.IsOpen(open)) requests_.Close(open);
    }
  }

  void CloseAll() {
    for (RequestRef ref = requests_.Oldest(); ref.generation != 0;
         ref = requests_.Oldest()) {
      requests_.Close(ref);
    }
  }

  EventStream* stream_;
  const LatencyPassOptions& options_;
  RouteTable* routes_;
  RequestRoutes* request_routes_;
  LatencyStatistics* statistics_;
  SlowestRequests* slowest_;
  RequestTable<Start> requests_;
  // Set by the first request that is read; others may have come before it.
  static constexpr int64_t kUnset = INT64_MIN;
  int64_t count_from_ns_ = kUnset;
};

}  // namespace

void SlowestRequests::Offer(int64_t latency_ns, RequestKey key) {
  const Entry entry{latency_ns, key};
  if (heap_.size() < limit_) {
    heap_.push_back(entry);
  } else if (limit_ > 0 && SlowerFirst(entry, heap_.front())) {
    std::pop_heap(heap_.begin(), heap_.end(), SlowerFirst);
    heap_.back() = entry;
  } else {
    return;
  }
  std::push_heap(heap_.begin(), heap_.end(), SlowerFirst);
}

std::vector<SlowestRequests::Entry> SlowestRequests::Sorted() const {
  std::vector<Entry> sorted = heap_;
  std::sort(sorted.begin(), sorted.end(), SlowerFirst);
  return sorted;
}

void RunLatencyPass(EventStream* stream, const LatencyPassOptions& options,
                    RouteTable* routes, RequestRoutes* request_routes,
                    LatencyStatistics* statistics, SlowestRequests* slowest) {
  LatencyPass(stream, options, routes, request_routes, statistics, slowest)
      .Run();
}

}  // namespace edgewise
