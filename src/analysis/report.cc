#include "analysis/report.h"

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analysis/requests/request_log.h"
#include "analysis/rows/trace_tables.h"
#include "analysis/stream/event_stream.h"
#include "analysis/stream/route_table.h"
#include "analysis/stream/trace_set.h"
#include "analysis/stream/watched_traces.h"
#include "analysis/tables/explain_pass.h"
#include "analysis/tables/report_json.h"
#include "analysis/tail/latency_pass.h"
#include "analysis/tail/statistics.h"

namespace edgewise {
namespace {

constexpr int kMaxSlowest = 1000;
constexpr double kFirstPass = 0.16;    // of the time that both passes take
constexpr uint32_t kRoutesNamed = 10;  // in an error message

absl::Status CheckOptions(const ReportOptions& options) {
  if (!(options.percentile > 0 && options.percentile < 100)) {
    return absl::InvalidArgumentError(
        absl::StrCat("percentile ", options.percentile,
                     " is not between 0 and 100, both exclusive"));
  }
  if (options.slowest < 0 || options.slowest > kMaxSlowest) {
    return absl::InvalidArgumentError(absl::StrCat(
        "slowest ", options.slowest, " is not between 0 and ", kMaxSlowest));
  }
  if (options.request < -1 || options.request > UINT32_MAX) {
    return absl::InvalidArgumentError(absl::StrCat(
        "request ", options.request, " is not between 0 and ", UINT32_MAX));
  }
  if (options.skip_ns < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("skip ", options.skip_ns, " ns must not be negative"));
  }
  if (options.process < -1 || options.thread < -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("process ", options.process, " and thread ",
                     options.thread, " must not be negative"));
  }
  return absl::OkStatus();
}

class Analysis {
 public:
  Analysis(TraceSet* traces, std::string place, const ReportOptions& options)
      : progress_(options.progress ? options.progress : &untold_),
        traces_(traces, progress_),
        place_(std::move(place)),
        options_(options),
        slowest_(static_cast<size_t>(options.slowest)) {}

  absl::StatusOr<std::string> Run() {
    if (absl::Status status = CheckOptions(options_); !status.ok()) {
      return status;
    }
    MeasureLatencies();
    if (absl::Status status = progress_->status(); !status.ok()) return status;
    if (absl::Status status = CheckFound(); !status.ok()) return status;
    statistics_.SetThresholds(options_.percentile);
    return Explain();
  }

 private:
  bool IsChosen(uint32_t process, uint32_t thread) const {
    return (options_.process < 0 || int64_t{process} == options_.process) &&
           (options_.thread < 0 || int64_t{thread} == options_.thread);
  }

  // Whose file it is, from its first good chunk. Of one without, nobody knows:
  // it is read, and reported.
  bool IsChosen(ByteSource* source) const {
    if (options_.process < 0 && options_.thread < 0) return true;
    ChunkReader reader(source, "", nullptr);
    Chunk chunk;
    return !reader.Next(&chunk) ||
           IsChosen(chunk.header.process, chunk.header.thread);
  }

  void MeasureLatencies() {
    routes_.Keep(options_.routes.only);
    for (const std::string& route : options_.routes.left_out) {
      routes_.Keep(route);
    }
    traces_.BeginPass(0, kFirstPass);
    for (size_t i = 0; i < traces_.size(); ++i) {
      const std::string& name = traces_.Name(i);
      auto source = traces_.Open(i);
      if (!source.ok()) {
        problems_.Add({name, 0, std::string(source.status().message()), 0});
        continue;
      }
      if (!IsChosen(source->get())) continue;
      EventStream stream(source->get(), name, EventStream::Detail::kRequests,
                         &problems_);
      RunLatencyPass(
          &stream,
          {static_cast<uint32_t>(i), options_.routes, options_.skip_ns},
          &routes_, &request_routes_[i], &statistics_, &slowest_);
      if (!stream.counts().started) continue;
      NoteTime(stream.counts(), usable_.empty());
      usable_.push_back(i);
      NoteProcess(stream);
    }
  }

  void NoteTime(const StreamCounts& counts, bool first) {
    begin_ns_ = first ? counts.first_ns : std::min(begin_ns_, counts.first_ns);
    end_ns_ = first ? counts.last_ns : std::max(end_ns_, counts.last_ns);
  }

  void NoteProcess(const EventStream& stream) {
    const uint32_t process = stream.counts().process;
    const std::string& identity = stream.meta().identity;
    if (identity.empty()) return;
    const auto [known, added] = identities_.emplace(process, identity);
    if (!added && known->second != identity) ambiguous_.insert(process);
  }

  // Whether any request of the route did, also an aborted or a skipped one.
  bool HasEnded(const std::string& route) const {
    if (statistics_.all().latencies.count() > 0) return true;
    for (uint32_t i = RouteTable::kOther + 1; i < routes_.size(); ++i) {
      if (routes_.Text(i) == route) return true;
    }
    return false;
  }

  absl::Status CheckFound() const {
    if (usable_.empty()) {
      std::string message = absl::StrCat(
          "no usable trace in ", place_,
          ": expected files <pid>-<thread>.ewt written by edgewise");
      if (options_.process >= 0 || options_.thread >= 0) {
        absl::StrAppend(&message, " for the process and thread asked for");
      }
      for (const Problem& problem : problems_.kept()) {
        absl::StrAppend(&message, "; ", problem.file, ": ", problem.what);
      }
      return absl::NotFoundError(message);
    }
    if (!options_.routes.only.empty() && !HasEnded(options_.routes.only)) {
      std::string message = absl::StrCat("no request of route ",
                                         options_.routes.only, " in ", place_);
      const char* separator = "; routes there: ";
      for (uint32_t route = RouteTable::kOther + 1;
           route < routes_.size() && route <= kRoutesNamed + 2; ++route) {
        absl::StrAppend(&message, separator, routes_.Text(route));
        separator = ", ";
      }
      return absl::NotFoundError(message);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Explain() {
    std::unique_ptr<RequestLog> log;
    if (!options_.requests_path.empty()) {
      auto created = RequestLog::Create(options_.requests_path, &routes_);
      if (!created.ok()) return created.status();
      log = *std::move(created);
    }
    ExplainPass::Options pass_options;
    pass_options.routes = options_.routes;
    pass_options.skip_ns = options_.skip_ns;
    pass_options.ambiguous = &ambiguous_;
    if (options_.request >= 0) {
      pass_options.request = static_cast<uint32_t>(options_.request);
    }
    PageColumns columns(PagePlan());
    if (options_.columns != nullptr) pass_options.columns = &columns;
    ExplainPass pass(pass_options, &routes_, &dependencies_, &statistics_,
                     slowest_.Sorted(), log.get());
    auto tables = MakeTables(pass);
    if (!tables.ok()) return tables.status();
    RequestWatcher* const watcher =
        *tables != nullptr ? tables->get() : options_.watcher;
    if (watcher != nullptr) {
      watcher->Begin({&routes_, &dependencies_, &pass.stacks()},
                     &pass.timeline());
      pass.Tell(watcher);
    }
    traces_.BeginPass(kFirstPass, 1);
    for (const size_t i : usable_) {
      auto source = traces_.Open(i);
      if (!source.ok()) return source.status();
      EventStream stream(source->get(), traces_.Name(i),
                         EventStream::Detail::kAll, &problems_);
      if (watcher != nullptr) {
        watcher->BeginFile(traces_.Name(i), &stream, &request_routes_[i]);
      }
      const ExplainPass::Busy busy = pass.RunFile(
          static_cast<uint32_t>(i), &stream, request_routes_[i], &routes_);
      files_.push_back({stream.counts(), busy.ns, busy.off_ns, stream.meta(),
                        !stream.counts().ended && traces_.StillWritten(i)});
    }
    if (absl::Status status = progress_->status(); !status.ok()) return status;
    if (log != nullptr) {
      if (absl::Status status = log->Close(); !status.ok()) return status;
    }
    if (watcher != nullptr) {
      if (absl::Status status = watcher->Close(); !status.ok()) return status;
    }
    if (*tables != nullptr && options_.recording != nullptr) {
      *options_.recording = (*tables)->Recording();
    }
    if (absl::Status status = CheckRequest(pass); !status.ok()) return status;
    if (options_.columns != nullptr) {
      auto encoded = columns.Encode(PageNames(), pass.slowest());
      if (!encoded.ok()) return encoded.status();
      *options_.columns = *std::move(encoded);
    }
    return ReportJson({options_.percentile, options_.request >= 0,
                       options_.stacks, &files_, &routes_, &statistics_, &pass,
                       &problems_, traces_.Unrecorded(), &ambiguous_});
  }

  // Null where none are wanted.
  absl::StatusOr<std::unique_ptr<TraceTables>> MakeTables(
      const ExplainPass& pass) {
    if (options_.tables.empty()) return std::unique_ptr<TraceTables>();
    return TraceTables::Create(
        {options_.tables, options_.scratch, options_.percentile,
         statistics_.all().threshold_ns},
        {&routes_, &dependencies_, &pass.stacks()}, &pass.timeline());
  }

  PageColumns::Plan PagePlan() const {
    PageColumns::Plan plan;
    const LatencyHistogram& latencies = statistics_.all().latencies;
    plan.requests = latencies.count();
    plan.begin_ns = begin_ns_;
    plan.span_ns = end_ns_ - begin_ns_;
    plan.kinds = usable_.size() * routes_.size();
    plan.store = options_.store;
    plan.scratch = options_.scratch;
    if (plan.requests > PageColumns::kMostRows) {
      const double others =
          static_cast<double>(plan.requests - PageColumns::kOwnRows);
      plan.own_from_ns = latencies.Percentile(
          100 * others / static_cast<double>(plan.requests));
    }
    return plan;
  }

  // What one file does not know, is not known.
  PageColumns::Names PageNames() const {
    PageColumns::Names names{&routes_, &dependencies_, !files_.empty(),
                             !files_.empty()};
    for (const FileFacts& file : files_) {
      names.off_cpu &= file.meta.off_cpu_available.value_or(false);
      names.vm_times &= file.meta.times;
    }
    return names;
  }

  absl::Status CheckRequest(const ExplainPass& pass) const {
    if (options_.request < 0 || pass.wanted().has_value()) {
      return absl::OkStatus();
    }
    return absl::NotFoundError(absl::StrCat(
        "request ", options_.request,
        pass.wanted_aborted() ? " was aborted: it has no response in "
                              : " did not end, or is not, in ",
        place_,
        ": take a number from the report's slowest requests, or from its "
        "option --requests"));
  }

  AnalysisProgress untold_;
  AnalysisProgress* const progress_;
  WatchedTraces traces_;
  const std::string place_;
  const ReportOptions& options_;
  RouteTable routes_;
  std::map<size_t, RequestRoutes> request_routes_;  // by file
  DependencyTable dependencies_;
  LatencyStatistics statistics_;
  SlowestRequests slowest_;
  ProblemLog problems_;
  std::vector<size_t> usable_;
  int64_t begin_ns_ = 0;  // of their recordings, CLOCK_MONOTONIC
  int64_t end_ns_ = 0;
  std::vector<FileFacts> files_;
  std::map<uint32_t, std::string> identities_;  // of the first, by number
  std::set<uint32_t> ambiguous_;                // numbers of several processes
};

}  // namespace

absl::StatusOr<std::string> BuildReport(const std::string& dir,
                                        const ReportOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  auto traces = OpenTraceDirectory(dir);
  if (!traces.ok()) return traces.status();
  return Analysis(traces->get(), dir, options).Run();
}

absl::StatusOr<std::string> BuildReport(std::span<const TraceBytes> files,
                                        const ReportOptions& options) {
  const std::unique_ptr<TraceSet> traces = TracesInMemory(files);
  return Analysis(traces.get(), "memory", options).Run();
}

}  // namespace edgewise
