#include "analysis/tables/report_json.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/requests/request_json.h"
#include "analysis/tables/dependency_json.h"
#include "analysis/tables/gc_json.h"
#include "analysis/tables/loop_json.h"
#include "analysis/tables/off_cpu_json.h"
#include "analysis/tables/stacks_json.h"
#include "analysis/tables/warnings_json.h"
#include "trace/names.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

Json Mean(const Group& group, double sum_ns) {
  if (group.count == 0) return nullptr;
  return std::llround(sum_ns / static_cast<double>(group.count));
}

// A sum without its parts; those beyond 2^53 ns are rounded: never below 0.
double RestOf(double sum_ns, double parts_ns) {
  return std::max(0.0, sum_ns - parts_ns);
}

double OffSum(const std::array<double, Components::kCount>& sum,
              Components::Index first) {
  return std::accumulate(sum.begin() + first,
                         sum.begin() + first + kOffCpuKinds, 0.0);
}

// What all files hold.
struct Measured {
  bool vm_times;
  bool off_cpu;
};

// Of a group, as means per request; null where it is empty, or where not all
// recorders measure the component: then it is part of native_ns, or of loop_ns.
Json GroupJson(const Group& group, const Measured& has) {
  using C = Components;
  const auto& sum = group.sum_ns;
  Json json;
  json["count"] = group.count;
  json["mean_latency_ns"] = Mean(group, sum[C::kLatency]);
  json["io_ns"] = Mean(group, sum[C::kIo]);
  json["queue_ns"] = Mean(group, sum[C::kQueue]);
  json["exec_ns"] = Mean(group, sum[C::kExec]);
  const auto measured = [&](C::Index part) {
    return has.vm_times ? Mean(group, sum[part]) : Json(nullptr);
  };
  const double exec_vm = has.vm_times ? sum[C::kExecJit] + sum[C::kExecIc] : 0;
  const double queue_vm =
      has.vm_times ? sum[C::kQueueJit] + sum[C::kQueueIc] : 0;
  const double exec_off = has.off_cpu ? OffSum(sum, C::kExecOff) : 0;
  const double queue_off =
      has.off_cpu ? OffSum(sum, C::kQueueOff) - sum[C::kLoopOff] : 0;
  const double loop_off = has.off_cpu ? sum[C::kLoopOff] : 0;
  const double wake_off = has.off_cpu ? sum[C::kWakeOff] : 0;
  const auto not_running = [&](std::initializer_list<C::Index> parts) {
    return has.off_cpu ? OffJson([&](size_t kind) {
      double ns = 0;
      for (const C::Index part : parts) ns += sum[part + kind];
      return Mean(group, ns);
    })
                       : Json(nullptr);
  };
  json["not_running"] = not_running({C::kExecOff, C::kQueueOff});
  json["exec"] = {
      {"gc_ns", Mean(group, sum[C::kExecGc])},
      {"jit_ns", measured(C::kExecJit)},
      {"ic_ns", measured(C::kExecIc)},
      {"native_ns", Mean(group, RestOf(sum[C::kExec],
                                       sum[C::kExecGc] + exec_vm + exec_off))},
      {"not_running", not_running({C::kExecOff})},
  };
  json["queue"] = {
      {"gc_ns", Mean(group, sum[C::kQueueGc])},
      {"jit_ns", measured(C::kQueueJit)},
      {"ic_ns", measured(C::kQueueIc)},
      {"native_ns", Mean(group, RestOf(sum[C::kQueue],
                                       sum[C::kQueueGc] + sum[C::kQueueLoop] +
                                           queue_vm + queue_off))},
      {"loop_ns", Mean(group, RestOf(sum[C::kQueueLoop], loop_off))},
      {"wake_ns", Mean(group, RestOf(sum[C::kQueueWake], wake_off))},
      {"not_running", not_running({C::kQueueOff})},
      {"idle_ns", Mean(group, sum[C::kQueueLoop])},
      {"own_ns", Mean(group, sum[C::kQueueOwn])},
      {"other_requests_ns", Mean(group, sum[C::kQueueOther])},
      {"unowned_ns", Mean(group, sum[C::kQueueUnowned])},
  };
  return json;
}

Json LatencyJson(const LatencyHistogram& latencies) {
  const bool none = latencies.count() == 0;
  const auto at = [&](double percentile) {
    return none ? Json(nullptr) : Json(latencies.Percentile(percentile));
  };
  Json json;
  json["mean"] = none ? Json(nullptr) : Json(std::llround(latencies.mean_ns()));
  json["p50"] = at(50);
  json["p90"] = at(90);
  json["p99"] = at(99);
  json["p99.9"] = at(99.9);
  json["max"] = none ? Json(nullptr) : Json(latencies.max_ns());
  return json;
}

// Whether all files hold V8's times.
bool HaveVmTimes(const std::vector<FileFacts>& files) {
  return std::all_of(files.begin(), files.end(),
                     [](const FileFacts& file) { return file.meta.times; });
}

void AddTailAndRest(const TailStatistics& statistics, const ReportInput& input,
                    Json* json) {
  const Measured has{HaveVmTimes(*input.files), HaveOffCpu(*input.files)};
  Json tail;
  tail["percentile"] = input.percentile;
  tail["threshold_ns"] = statistics.latencies.count() == 0
                             ? Json(nullptr)
                             : Json(statistics.threshold_ns);
  tail.update(GroupJson(statistics.tail, has));
  (*json)["tail"] = std::move(tail);
  (*json)["rest"] = GroupJson(statistics.rest, has);
}

Json RoutesJson(const ReportInput& input) {
  std::vector<uint32_t> order;
  for (uint32_t route = 0; route < input.routes->size(); ++route) {
    if (input.statistics->Route(route) != nullptr) order.push_back(route);
  }
  const auto weight = [&](uint32_t route) {
    return input.statistics->Route(route)->tail.sum_ns[Components::kLatency];
  };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return weight(a) > weight(b);
  });
  Json routes = Json::array();
  for (const uint32_t route : order) {
    const TailStatistics& statistics = *input.statistics->Route(route);
    Json json;
    json["route"] = input.routes->Text(route);
    json["count"] = statistics.latencies.count();
    json["latency_ns"] = LatencyJson(statistics.latencies);
    AddTailAndRest(statistics, input, &json);
    routes.push_back(std::move(json));
  }
  return routes;
}

Json BlockersJson(const ReportInput& input) {
  const bool off_cpu = HaveOffCpu(*input.files);
  const double queue_ns =
      input.statistics->all().tail.sum_ns[Components::kQueue];
  Json blockers = Json::array();
  for (const Blocker& blocker : input.explained->ledger().Blockers()) {
    Json json =
        CauseJson(blocker.kind, blocker.route, blocker.type, *input.routes);
    json["queue_ns"] = std::llround(blocker.queue_ns);
    json["share"] = ShareJson(blocker.queue_ns, queue_ns);
    json["not_running_ns"] =
        off_cpu ? Json(std::llround(blocker.off_ns)) : Json(nullptr);
    json["requests"] = blocker.requests;
    blockers.push_back(std::move(json));
  }
  return blockers;
}

Json ExecGcJson(const ReportInput& input) {
  const double exec_ns = input.statistics->all().tail.sum_ns[Components::kExec];
  Json list = Json::array();
  const auto& types = input.explained->exec_gc();
  for (int type = 0; type < kGcTypes; ++type) {
    if (types[type].requests == 0) continue;
    list.push_back({{"type", GcTypeName(static_cast<GcType>(type))},
                    {"exec_ns", std::llround(types[type].ns)},
                    {"share", ShareJson(types[type].ns, exec_ns)},
                    {"requests", types[type].requests}});
  }
  return list;
}

// The one value that all files share, the list of them, or null.
Json Merged(const std::set<std::string>& values) {
  if (values.empty()) return nullptr;
  if (values.size() == 1) return *values.begin();
  return values;
}

Json MergedMeta(const std::vector<FileFacts>& files,
                std::string TraceMeta::*field) {
  std::set<std::string> values;
  for (const FileFacts& file : files) {
    if (!(file.meta.*field).empty()) values.insert(file.meta.*field);
  }
  return Merged(values);
}

Json FidelityJson(const std::vector<FileFacts>& files) {
  std::map<std::string, std::set<std::string>> values;
  for (const FileFacts& file : files) {
    for (const auto& [type, value] : file.meta.fidelity) {
      values[type].insert(value);
    }
  }
  Json json = Json::object();
  for (const auto& [type, seen] : values) json[type] = Merged(seen);
  return json;
}

Json WatcherJson(const std::vector<FileFacts>& files) {
  Json json = {{"available", nullptr}, {"error_ns", nullptr}};
  bool available = true;
  bool known = false;
  int64_t error_ns = -1;
  for (const FileFacts& file : files) {
    if (!file.meta.watcher_available.has_value()) continue;
    known = true;
    available = available && *file.meta.watcher_available;
    error_ns = std::max(error_ns, file.meta.watcher_error_ns.value_or(-1));
  }
  if (known) json["available"] = available;
  if (error_ns >= 0) json["error_ns"] = error_ns;
  return json;
}

void AddProvenance(const std::vector<FileFacts>& files, Json* json) {
  (*json)["schema"] = 1;
  (*json)["edgewise"] = MergedMeta(files, &TraceMeta::edgewise);
  (*json)["provider"] = MergedMeta(files, &TraceMeta::provider);
  (*json)["node"] = MergedMeta(files, &TraceMeta::node);
  (*json)["command"] = MergedMeta(files, &TraceMeta::command);
  (*json)["causality"] = MergedMeta(files, &TraceMeta::causality);
  (*json)["mode"] = MergedMeta(files, &TraceMeta::mode);
  (*json)["ticks"] = MergedMeta(files, &TraceMeta::ticks);
}

// Threads whose end was not recorded, where there are such.
void AddUnended(const ReportInput& input, Json* json) {
  uint64_t unended = 0;
  uint64_t recording = 0;
  for (const FileFacts& file : *input.files) {
    if (file.counts.ended) continue;
    ++(file.still_written ? recording : unended);
  }
  if (unended > 0) (*json)["unended_threads"] = unended;
  if (recording > 0) (*json)["recording_threads"] = recording;
  if (input.unrecorded > 0) (*json)["unrecorded_threads"] = input.unrecorded;
}

void AddCounts(const ReportInput& input, Json* json) {
  const GraphCounts& counts = input.explained->counts();
  (*json)["requests"] = {
      {"count", input.statistics->all().latencies.count()},
      {"lost", counts.lost},
      {"aborted", input.explained->aborted()},
      {"failed", input.explained->failed()},
      {"unfinished", counts.unfinished},
      {"truncated", input.explained->truncated()},
      {"skipped", input.explained->skipped()},
      {"streams", input.explained->streams()},
      {"left_out", input.explained->left_out()},
  };
  StreamCounts sum;
  int64_t first_ns = INT64_MAX;
  int64_t last_ns = INT64_MIN;
  // By identity: numbers are used again, and in several containers at once.
  std::set<std::pair<std::string, uint32_t>> processes;
  std::set<std::tuple<std::string, uint32_t, uint32_t>> threads;
  for (const FileFacts& file : *input.files) {
    sum.events += file.counts.events;
    sum.records += file.counts.records;
    sum.dropped += file.counts.dropped;
    sum.lost_bytes += file.counts.lost_bytes;
    sum.orphaned += file.counts.orphaned;
    first_ns = std::min(first_ns, file.counts.first_ns);
    last_ns = std::max(last_ns, file.counts.last_ns);
    const std::string& identity = file.meta.identity;
    processes.insert({identity, file.counts.process});
    threads.insert({identity, file.counts.process, file.counts.thread});
  }
  (*json)["events"] = {
      {"count", sum.events},      {"records", sum.records},
      {"dropped", sum.dropped},   {"lost_bytes", sum.lost_bytes},
      {"orphaned", sum.orphaned},
  };
  (*json)["duration_ns"] = last_ns - first_ns;
  (*json)["processes"] = processes.size();
  (*json)["threads"] = threads.size();
  AddUnended(input, json);
  (*json)["off_cpu"] = OffCpuJson(*input.files);
  (*json)["loop"] = LoopJson(*input.files);
  (*json)["gc"] =
      GcJson(counts, /*off_cpu=*/!(*json)["loop"]["not_running_ns"].is_null());
}

// Null: stacks were not recorded in bursts, or not in the same ones.
Json BurstsJson(const BurstCounts& bursts) {
  const uint64_t config = bursts.config.value_or(0);
  if (config == 0 || bursts.differ) return nullptr;
  const auto of = [](const BurstCounts::Of& requests) {
    return Json{{"requests", requests.requests}, {"within", requests.within}};
  };
  return {{"config", config},
          {"duration_ns", Burst(config).duration_ns()},
          {"tail", of(bursts.tail)},
          {"rest", of(bursts.rest)}};
}

Json ProblemsJson(const ProblemLog& problems) {
  // The two passes find different kinds.
  std::vector<Problem> sorted = problems.kept();
  std::stable_sort(
      sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
        return a.file != b.file ? a.file < b.file : a.offset < b.offset;
      });
  Json list = Json::array();
  for (const Problem& problem : sorted) {
    list.push_back({{"file", problem.file},
                    {"offset", problem.offset},
                    {"what", problem.what},
                    {"bytes", problem.bytes}});
  }
  return list;
}

}  // namespace

std::string ReportJson(const ReportInput& input) {
  const ExplainPass& explained = *input.explained;
  const LatencyStatistics& statistics = *input.statistics;
  Json json;
  AddProvenance(*input.files, &json);
  AddCounts(input, &json);
  json["latency_ns"] = LatencyJson(statistics.all().latencies);
  AddTailAndRest(statistics.all(), input, &json);
  json["routes"] = RoutesJson(input);
  json["blockers"] = BlockersJson(input);
  json["dependencies"] = DependenciesJson(
      explained.waits_by_dependency(), explained.dependencies(),
      statistics.all().tail.sum_ns[Components::kIo]);
  json["stacks"] = StacksJson(explained, *input.routes, input.want_stacks,
                              input.want_request);
  json["bursts"] = BurstsJson(explained.bursts());
  json["exec_gc"] = ExecGcJson(input);
  Json kinds = Json::object();
  for (int kind = 0; kind < kReadyKinds; ++kind) {
    if (explained.ready_kinds()[kind] == 0) continue;
    kinds[ReadyKindName(static_cast<ReadyKind>(kind))] =
        explained.ready_kinds()[kind];
  }
  json["ready_kinds"] = std::move(kinds);
  json["fidelity"] = FidelityJson(*input.files);
  json["watcher"] = WatcherJson(*input.files);
  Json slowest = Json::array();
  for (const auto& detail : explained.slowest()) {
    if (detail.has_value()) {
      slowest.push_back(
          DetailJson(*detail, *input.routes, explained.dependencies()));
    }
  }
  json["slowest"] = std::move(slowest);
  if (input.want_request && explained.wanted().has_value()) {
    json["request"] = DetailJson(*explained.wanted(), *input.routes,
                                 explained.dependencies());
  }
  json["problems"] = ProblemsJson(*input.problems);
  json["warnings"] = WarningsJson(input);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace edgewise
