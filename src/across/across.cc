#include "across/across.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "across/call_sums.h"
#include "across/clock_bounds.h"
#include "across/exchange_log.h"
#include "across/joining.h"
#include "across/request_trees.h"
#include "analysis/report.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kReading = 0.95;  // of the work, the rest is joining
constexpr size_t kBlockersTold = 3;

Json PartsJson(const CallParts& parts) {
  return {{"network_ns", parts.network_ns}, {"io_ns", parts.io_ns},
          {"queue_ns", parts.queue_ns},     {"exec_ns", parts.exec_ns},
          {"gc_ns", parts.gc_ns},           {"not_running_ns", parts.off_ns}};
}

Json BlockersJson(const std::map<uint32_t, double>& blocked_ns,
                  const ServiceNames& names) {
  std::vector<std::pair<double, uint32_t>> sorted;
  for (const auto& [route, ns] : blocked_ns) sorted.emplace_back(ns, route);
  std::sort(sorted.rbegin(), sorted.rend());
  Json json = Json::array();
  for (size_t i = 0; i < std::min(kBlockersTold, sorted.size()); ++i) {
    json.push_back({{"route", names.RouteText(sorted[i].second)},
                    {"ns", sorted[i].first}});
  }
  return json;
}

// Means of a call.
Json SumJson(const CallSum& sum, const ServiceNames& names) {
  if (sum.count == 0) return {{"calls", 0}};
  const auto mean = [&](double ns) {
    return ns / static_cast<double>(sum.count);
  };
  return {{"calls", sum.count},
          {"io_ns", mean(sum.io_ns)},
          {"network_ns", mean(sum.network_ns)},
          {"service_io_ns", mean(sum.service_io_ns)},
          {"queue_ns", mean(sum.queue_ns)},
          {"exec_ns", mean(sum.exec_ns)},
          {"gc_ns", mean(sum.gc_ns)},
          {"not_running_ns", mean(sum.off_ns)},
          {"behind", BlockersJson(sum.blocked_ns, names)}};
}

const char* TextOf(JoinedBy by) {
  switch (by) {
    case JoinedBy::kConnection:
      return "connection";
    case JoinedBy::kTraceparent:
      return "traceparent";
    case JoinedBy::kRequestId:
      return "x-request-id";
    case JoinedBy::kBytes:
      return "bytes";
  }
  return "";
}

Json BoundsJson(const ClockBounds::Bounds& bounds) {
  const bool hold = bounds.hold();
  return {{"ahead_least_ns", hold ? Json(bounds.least_ns) : Json()},
          {"ahead_most_ns", hold ? Json(bounds.most_ns) : Json()}};
}

Json ByJson(const CallSums::Counts& calls) {
  Json json = Json::object();
  for (size_t i = 0; i < kJoinedBys; ++i) {
    json[TextOf(static_cast<JoinedBy>(i))] = calls.by[i];
  }
  return json;
}

class Across {
 public:
  explicit Across(const AcrossOptions& options)
      : options_(options),
        progress_(options.progress ? options.progress : &untold_),
        exchanges_(options.scratch) {}

  absl::StatusOr<std::string> Run() {
    for (const std::string& directory : options_.directories) {
      if (absl::Status read = Read(directory); !read.ok()) return read;
    }
    progress_->Within(kReading, 1);
    absl::Status status = exchanges_.served.Finish();
    status.Update(exchanges_.named.Finish());
    status.Update(exchanges_.called.Finish());
    if (!status.ok()) return status;
    Joining joining(&exchanges_, options_.scratch);
    status = joining.ForEach([this](const JoinedCall& call) { Add(call); });
    if (!status.ok()) return status;
    RequestTrees trees(Roots());
    if (status = trees.Grow(&joining); !status.ok()) return status;
    if (status = progress_->status(); !status.ok()) return status;
    const Json json = {{"schema", 1},
                       {"services", ServicesJson()},
                       {"calls", CallsJson()},
                       {"clocks", ClocksJson()},
                       {"slowest", SlowestJson(trees)},
                       {"truncated", trees.truncated()}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  // Of one directory.
  struct Recording {
    std::string directory;
    uint16_t service;
    size_t first_file;  // in exchanges_.files
    size_t end_file;
    Json report;
  };

  absl::Status Read(const std::string& directory) {
    const auto part = [&](size_t i) {
      return kReading * static_cast<double>(i) /
             static_cast<double>(options_.directories.size());
    };
    progress_->Within(part(recordings_.size()), part(recordings_.size() + 1));
    Recording recording{directory, 0, exchanges_.files.size(), 0, {}};
    ExchangeLog log(&exchanges_);
    ReportOptions options;
    options.percentile = options_.percentile;
    options.routes.left_out = options_.left_out;
    options.skip_ns = options_.skip_ns;
    options.slowest = options_.slowest;
    options.watcher = &log;
    options.progress = progress_;
    const auto report = BuildReport(directory, options);
    if (!report.ok()) {
      return absl::Status(
          report.status().code(),
          absl::StrCat(directory, ": ", report.status().message()));
    }
    recording.report = Json::parse(*report);
    recording.end_file = exchanges_.files.size();
    recording.service = recording.first_file < recording.end_file
                            ? exchanges_.files[recording.first_file].service
                            : exchanges_.names.Service(directory);
    recordings_.push_back(std::move(recording));
    return absl::OkStatus();
  }

  void Add(const JoinedCall& call) {
    sums_.Add(call);
    if (call.served == nullptr) return;
    const auto unix_ns = [this](uint32_t file) {
      return exchanges_.files[file - 1].unix_offset_ns;
    };
    clocks_.Add(call, unix_ns(call.call->file), unix_ns(call.served->file));
  }

  // The slowest requests of services that no other one calls; of all, where
  // each is called.
  std::vector<std::pair<uint32_t, uint32_t>> Roots() {
    std::vector<std::pair<uint32_t, uint32_t>> roots;
    const bool any_front = std::any_of(
        recordings_.begin(), recordings_.end(),
        [this](const auto& each) { return !sums_.IsCalled(each.service); });
    for (const Recording& recording : recordings_) {
      if (any_front && sums_.IsCalled(recording.service)) continue;
      for (const Json& request : recording.report["slowest"]) {
        for (size_t i = recording.first_file; i < recording.end_file; ++i) {
          const Exchanges::File& file = exchanges_.files[i];
          if (request["process"] != file.process ||
              request["thread"] != file.thread) {
            continue;
          }
          roots.emplace_back(static_cast<uint32_t>(i + 1),
                             request["id"].get<uint32_t>());
          told_.push_back(request);
          break;
        }
      }
    }
    return roots;
  }

  Json ServicesJson() const {
    Json services = Json::array();
    for (const Recording& recording : recordings_) {
      const auto counts = sums_.counts().find(recording.service);
      const CallSums::Counts calls =
          counts != sums_.counts().end() ? counts->second : CallSums::Counts{};
      services.push_back(
          {{"service", exchanges_.names.ServiceText(recording.service)},
           {"directory", recording.directory},
           {"called", sums_.IsCalled(recording.service)},
           {"calls", calls.calls},
           {"joined", calls.joined},
           {"by", ByJson(calls)},
           {"undecided", calls.undecided},
           {"before", calls.before},
           {"report", recording.report}});
    }
    return services;
  }

  Json CallsJson() const {
    const ServiceNames& names = exchanges_.names;
    Json calls = Json::array();
    for (const auto& [key, sums] : sums_.sums()) {
      calls.push_back({{"from", names.ServiceText(key.from)},
                       {"to", names.ServiceText(key.to)},
                       {"route", names.RouteText(key.route)},
                       {"tail", SumJson(sums.tail, names)},
                       {"rest", SumJson(sums.rest, names)}});
    }
    return calls;
  }

  Json ClocksJson() const {
    Json clocks = Json::array();
    for (const auto& [key, minutes] : clocks_.bounds()) {
      Json clock = {{"from", exchanges_.names.ServiceText(key.from)},
                    {"to", exchanges_.names.ServiceText(key.to)}};
      clock.update(BoundsJson(ClockBounds::Whole(minutes)));
      clock["minutes"] = Json::array();
      for (const auto& [minute, bounds] : minutes) {
        Json json = {{"unix_ns", minute * ClockBounds::kMinuteNs}};
        json.update(BoundsJson(bounds));
        clock["minutes"].push_back(std::move(json));
      }
      clocks.push_back(std::move(clock));
    }
    return clocks;
  }

  Json CallJson(const RequestTree::Call& call) const {
    const ServiceNames& names = exchanges_.names;
    const ServedRow& served = call.served;
    Json json = {{"service", names.ServiceText(served.service)},
                 {"route", names.RouteText(served.route)},
                 {"request", served.request},
                 {"same_clock", call.same_clock},
                 {"by", TextOf(call.by)},
                 {"io_ns", call.io_ns},
                 {"latency_ns", served.end_ns - served.ready_ns},
                 {"of", PartsJson(call.parts)},
                 {"calls", CallsOf(*call.request)}};
    if (served.blocker != 0) {
      json["behind"] = {{"route", names.RouteText(served.blocker)},
                        {"ns", served.blocked_ns}};
    }
    return json;
  }

  Json CallsOf(const RequestTree& tree) const {
    Json calls = Json::array();
    for (const RequestTree::Call& call : tree.calls) {
      calls.push_back(CallJson(call));
    }
    return calls;
  }

  Json SlowestJson(const RequestTrees& trees) const {
    Json slowest = Json::array();
    for (size_t i = 0; i < trees.roots().size(); ++i) {
      const RequestTree& tree = *trees.roots()[i];
      const Exchanges::File& file = exchanges_.files[tree.file - 1];
      Json json = {{"service", exchanges_.names.ServiceText(file.service)}};
      for (const char* const key :
           {"route", "id", "process", "thread", "latency_ns", "io_ns",
            "queue_ns", "exec_ns", "gc_ns"}) {
        json[key] = told_[i].value(key, Json());
      }
      json["calls"] = CallsOf(tree);
      slowest.push_back(std::move(json));
    }
    return slowest;
  }

  const AcrossOptions& options_;
  AnalysisProgress untold_;
  AnalysisProgress* const progress_;
  Exchanges exchanges_;
  std::vector<Recording> recordings_;
  CallSums sums_;
  ClockBounds clocks_;
  std::vector<Json> told_;  // of Roots(), as their reports do
};

}  // namespace

absl::StatusOr<std::string> BuildAcross(const AcrossOptions& options) {
  return Across(options).Run();
}

}  // namespace edgewise
