#include "live/live_metrics.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/builder/edg_builder.h"
#include "analysis/stream/event_stream.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kOtherRoutes[] = "(other routes)";

template <typename Histogram>
Json HistogramJson(const Histogram& histogram) {
  return {{"counts", histogram.counts()}, {"sum_ns", histogram.sum_ns()}};
}

template <typename Histogram>
Json BoundsJson() {
  Json bounds = Json::array();
  for (size_t i = 0; i < Histogram::kBounds; ++i) {
    bounds.push_back(Histogram::Bound(i));
  }
  return bounds;
}

Json RouteJson(const std::string& route, const RouteMetrics& metrics) {
  return {{"route", route},
          {"failed", metrics.failed},
          {"aborted", metrics.aborted},
          {"duration", HistogramJson(metrics.duration)},
          {"io", HistogramJson(metrics.io)},
          {"queueing", HistogramJson(metrics.queueing)},
          {"execution", HistogramJson(metrics.execution)},
          {"loop", HistogramJson(metrics.loop)}};
}

// The last node goes on until the request ends.
int64_t OccupiedNs(const EndedRequest& request) {
  const Node& last = request.graph.nodes.back();
  return last.own_before_ns +
         std::max<int64_t>(0, request.end_ns - last.begin_ns);
}

}  // namespace

// One analysis, of one trace.
class LiveMetrics::Follower : public RequestSink, public LoopWatcher {
 public:
  Follower(LiveMetrics* metrics, FollowedTrace* trace)
      : metrics_(metrics),
        stream_(trace, "", EventStream::Detail::kAll, nullptr),
        timeline_(&ledger_),
        builder_(&stream_, &request_routes_, &routes_, &dependencies_,
                 &timeline_, &ledger_, &stacks_, this, this) {}

  void Run() {
    builder_.Run();
    const std::lock_guard lock(metrics_->mutex_);
    CountLost();
  }

  void OnRequest(const EndedRequest& request) override {
    const std::lock_guard lock(metrics_->mutex_);
    RouteMetrics& route = Route(request.route);
    route.duration.Add(request.latency_ns());
    route.io.Add(request.path.io_ns);
    route.queueing.Add(request.path.queue_ns);
    route.execution.Add(request.path.exec_ns);
    route.loop.Add(OccupiedNs(request));
    if (request.outcome == Outcome::kFailed) ++route.failed;
  }

  void OnAborted(const AbortedRequest& request) override {
    const std::lock_guard lock(metrics_->mutex_);
    ++Route(request.route).aborted;
  }

  void OnEvent(const Event& event, uint64_t /*first_piece*/) override {
    const std::lock_guard lock(metrics_->mutex_);
    CountLost();
    metrics_->loop_.events.Add(event.end_ns - event.begin_ns);
    if (event.ready_kind == ReadyKind::kNone) return;
    metrics_->loop_.queueing.Add(event.begin_ns - event.ready_ns);
  }

  void OnGc(const InnerRecord& gc, int64_t /*ran_ns*/) override {
    const std::lock_guard lock(metrics_->mutex_);
    metrics_->loop_.pauses[gc.type].Add(gc.end_ns - gc.time_ns);
  }

 private:
  RouteMetrics& Route(uint32_t route) {
    auto& routes = metrics_->routes_;
    const std::string& text = routes_.Text(route);
    const auto known = routes.find(text);
    if (known != routes.end()) return known->second;
    return routes[routes.size() < kMaxRoutes ? text : kOtherRoutes];
  }

  void CountLost() {
    metrics_->lost_ += builder_.counts().lost - lost_;
    lost_ = builder_.counts().lost;
  }

  LiveMetrics* metrics_;
  uint64_t lost_ = 0;  // of those that the metrics have
  EventStream stream_;
  RequestRoutes request_routes_;  // None are known before they end.
  RouteTable routes_;
  DependencyTable dependencies_;
  BlameLedger ledger_;
  LoopTimeline timeline_;
  StackTree stacks_;
  EdgBuilder builder_;
};

absl::Status LiveMetrics::Follow(const std::string& path) {
  Stop();
  auto trace = FollowedTrace::Open(path);
  if (!trace.ok()) return trace.status();
  auto thread = HelperThread::Start("edgewise-live", [this, of = trace->get()] {
    UseSpareTime();
    Follower(this, of).Run();
  });
  if (!thread.ok()) return thread.status();
  trace_ = *std::move(trace);
  thread_ = *std::move(thread);
  return absl::OkStatus();
}

void LiveMetrics::Stop() {
  if (trace_ != nullptr) trace_->Close();
  if (thread_.joinable()) thread_.join();
  trace_.reset();
}

std::string LiveMetrics::Json() {
  const std::lock_guard lock(mutex_);
  nlohmann::ordered_json routes = nlohmann::ordered_json::array();
  for (const auto& [route, metrics] : routes_) {
    routes.push_back(RouteJson(route, metrics));
  }
  nlohmann::ordered_json pauses = nlohmann::ordered_json::object();
  for (int type = 0; type < kGcTypes; ++type) {
    pauses[GcTypeName(static_cast<GcType>(type))] =
        HistogramJson(loop_.pauses[type]);
  }
  return nlohmann::ordered_json{{"bounds",
                                 {{"duration", BoundsJson<LatencyBuckets>()},
                                  {"part", BoundsJson<PartBuckets>()}}},
                                {"routes", std::move(routes)},
                                {"loop",
                                 {{"events", HistogramJson(loop_.events)},
                                  {"queueing", HistogramJson(loop_.queueing)},
                                  {"pauses", std::move(pauses)}}},
                                {"lost", lost_}}
      .dump();
}

}  // namespace edgewise
