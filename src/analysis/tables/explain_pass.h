#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/builder/edg_builder.h"
#include "analysis/graph/blame.h"
#include "analysis/graph/dependency.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/page/page_columns.h"
#include "analysis/requests/request_detail.h"
#include "analysis/requests/request_log.h"
#include "analysis/rows/request_watcher.h"
#include "analysis/stream/route_filter.h"
#include "analysis/tail/burst_counts.h"
#include "analysis/tail/latency_pass.h"
#include "analysis/tail/statistics.h"
#include "trace/names.h"

namespace edgewise {

// Collections that interrupted the tail's own execution, by type.
struct ExecGc {
  double ns = 0;
  uint64_t requests = 0;
};

// The second pass: takes each request's critical path, and sums up what the
// tail and the rest spent their time on.
class ExplainPass : public RequestSink {
 public:
  struct Options {
    RouteFilter routes;
    std::optional<uint32_t> request;  // wanted in full
    // Numbers that several processes had; may be null.
    const std::set<uint32_t>* ambiguous = nullptr;
    int64_t skip_ns = 0;  // requests so soon after their file's first: no part
    PageColumns* columns = nullptr;  // are told of each request; may be null
  };

  // `statistics` has its thresholds; `log` may be null. All outlive the pass.
  ExplainPass(const Options& options, const RouteTable* routes,
              DependencyTable* dependencies, LatencyStatistics* statistics,
              std::vector<SlowestRequests::Entry> slowest, RequestLog* log)
      : options_(options),
        routes_(routes),
        dependencies_(dependencies),
        statistics_(statistics),
        slowest_(std::move(slowest)),
        details_(slowest_.size()),
        log_(log),
        timeline_(&ledger_, options.columns) {}

  // How long the file's loop was busy; of it, its thread did not run. ns
  struct Busy {
    double ns;
    double off_ns;
  };
  Busy RunFile(uint32_t file, EventStream* stream,
               const RequestRoutes& request_routes, RouteTable* routes);

  // From here on the watcher is told of everything, too; null: nobody is.
  void Tell(RequestWatcher* watcher) { watcher_ = watcher; }
  const LoopTimeline& timeline() const { return timeline_; }

  // RequestSink
  void OnRequest(const EndedRequest& request) override;
  void OnAborted(const AbortedRequest& request) override;

  const BlameLedger& ledger() const { return ledger_; }
  const StackTree& stacks() const { return stacks_; }
  uint64_t stack_samples() const { return timeline_.samples().count(); }
  const DependencyTable& dependencies() const { return *dependencies_; }
  // What the tail waited for.
  const DependencyLedger& waits_by_dependency() const {
    return waits_by_dependency_;
  }
  // As many as the first pass found, slowest first.
  const std::vector<std::optional<RequestDetail>>& slowest() const {
    return details_;
  }
  const std::optional<RequestDetail>& wanted() const { return wanted_; }
  uint64_t wanted_matches() const { return wanted_matches_; }
  bool wanted_aborted() const { return wanted_aborted_; }
  const GraphCounts& counts() const { return counts_; }
  const std::array<uint64_t, kReadyKinds>& ready_kinds() const {
    return ready_kinds_;
  }
  const std::array<ExecGc, kGcTypes>& exec_gc() const { return exec_gc_; }
  const BurstCounts& bursts() const { return bursts_; }
  // Of the requests that the options leave in.
  uint64_t aborted() const { return aborted_; }
  uint64_t failed() const { return failed_; }
  uint64_t truncated() const { return truncated_; }
  uint64_t skipped() const { return skipped_; }
  // Of routes that the options leave out; aborted ones, too.
  uint64_t left_out() const { return left_out_; }
  // Event streams and long polls that are left out.
  uint64_t streams() const { return streams_; }
  uint64_t hidden_requests() const { return hidden_requests_; }
  int64_t hidden_ns() const { return hidden_ns_; }

 private:
  bool Counts(uint32_t route, int64_t ready_ns);
  std::string Identity() const;
  Components Explain(const EndedRequest& request);
  using Times = decltype(Components::ns);
  void AddOff(const QueueSpan& span, int64_t idle_ns, Times* ns) const;
  void BlameTail(const EndedRequest& request, const Components& components);
  void NoteStacks(const CriticalPath& path, SampleRole wait, SampleRole exec);
  void Describe(const EndedRequest& request, const Components& components,
                std::optional<uint32_t> row);
  std::optional<uint32_t> AddRow(const EndedRequest& request,
                                 const Components& components, bool is_tail);
  RequestDetail Detail(const EndedRequest& request, bool with_nodes,
                       const Components& components);

  const Options options_;
  const RouteTable* routes_;
  DependencyTable* dependencies_;
  DependencyLedger waits_by_dependency_;
  LatencyStatistics* statistics_;
  const std::vector<SlowestRequests::Entry> slowest_;
  std::vector<std::optional<RequestDetail>> details_;
  std::optional<RequestDetail> wanted_;
  uint64_t wanted_matches_ = 0;
  bool wanted_aborted_ = false;
  bool wanted_unresolved_ = false;
  RequestLog* log_;
  RequestWatcher* watcher_ = nullptr;
  BlameLedger ledger_;
  LoopTimeline timeline_;
  StackTree stacks_;
  GraphCounts counts_;
  std::array<uint64_t, kReadyKinds> ready_kinds_{};
  std::array<ExecGc, kGcTypes> exec_gc_{};
  BurstCounts bursts_;
  uint64_t aborted_ = 0;
  uint64_t failed_ = 0;
  uint64_t truncated_ = 0;  // kept only their latest nodes
  uint64_t skipped_ = 0;    // because of skip_ns
  uint64_t left_out_ = 0;
  uint64_t streams_ = 0;
  uint64_t hidden_requests_ = 0;
  int64_t hidden_ns_ = 0;
  std::vector<Wait> waits_;  // of the current request

  // The file being read.
  uint32_t file_ = 0;
  const EventStream* stream_ = nullptr;
  const EdgBuilder* builder_ = nullptr;
  std::vector<size_t> unresolved_;  // details of this file
};

}  // namespace edgewise
