#include "compare/reading/sides.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace edgewise {
namespace {

constexpr int64_t kMinuteNs = 60'000'000'000;
constexpr char kOtherRoutes[] = "(other routes)";

// A run that grows, and what is known of how it was recorded.
class Merging {
 public:
  // Those requests of the file that keep(request).
  template <typename Keep>
  void Add(const SideReader::File& file, Keep keep) {
    const Run& from = file.run;
    bool any = false;
    for (const ComparedRequest& request : from.requests) {
      if (!keep(request)) continue;
      ComparedRequest copy = request;
      copy.first_detail = static_cast<uint32_t>(run_.details.size());
      if (request.client != 0) copy.client += clients_;
      most_ = std::max(most_, copy.client);
      run_.details.insert(
          run_.details.end(), from.details.begin() + request.first_detail,
          from.details.begin() + request.first_detail + request.details);
      run_.requests.push_back(copy);
      any = true;
    }
    clients_ = most_;
    if (!any) return;
    how_.insert(file.recorded.how.begin(), file.recorded.how.end());
    recorded_.records += file.recorded.records;
    recorded_.dropped += file.recorded.dropped;
    busy_ns_ += file.busy_ns;
    span_ns_ += file.span_ns;
  }

  // Its requests by time. No request: nothing.
  void EndRun(Side* side) {
    auto& requests = run_.requests;
    if (!requests.empty()) {
      std::sort(requests.begin(), requests.end(),
                [](const ComparedRequest& one, const ComparedRequest& other) {
                  return one.at_ns < other.at_ns;
                });
      run_.begin_ns = requests.front().at_ns;
      run_.end_ns = requests.back().at_ns;
      side->runs.push_back(std::move(run_));
    }
    run_ = {};
    clients_ = most_ = 0;
  }

  void EndSide(Side* side) {
    recorded_.how.assign(how_.begin(), how_.end());
    if (span_ns_ > 0) recorded_.busy = busy_ns_ / span_ns_;
    side->recorded = std::move(recorded_);
  }

 private:
  Run run_;
  uint32_t clients_ = 0;  // of the files before
  uint32_t most_ = 0;
  Recorded recorded_;
  std::set<std::string> how_;
  double busy_ns_ = 0;
  double span_ns_ = 0;
};

int64_t MinuteOf(const ComparedRequest& request) {
  return request.at_ns / kMinuteNs;
}

std::string TextOfMinute(int64_t minute) {
  return absl::FormatTime("%Y-%m-%dT%H:%MZ",
                          absl::FromUnixNanos(minute * kMinuteNs),
                          absl::UTCTimeZone());
}

// Of a file; of minutes, of a request.
std::string ValueOf(const SideReader::File& file, SplitBy by) {
  switch (by) {
    case SplitBy::kProcess:
      return absl::StrCat("process ", file.process);
    case SplitBy::kWorker:
      return absl::StrCat("process ", file.process, " thread ", file.thread);
    case SplitBy::kNode:
      return absl::StrCat("Node.js ", file.node);
    case SplitBy::kMinute:
    case SplitBy::kNothing:
      break;
  }
  return "";
}

// Minutes that do not follow each other are runs of their own.
void EndMinutes(Merging* merging, Side* side) {
  Side one;
  merging->EndRun(&one);
  if (one.runs.empty()) return;
  Run& all = one.runs[0];
  size_t begin = 0;
  const auto minute = [&](size_t i) { return MinuteOf(all.requests[i]); };
  for (size_t i = 1; i <= all.requests.size(); ++i) {
    const bool ends = i == all.requests.size() || minute(i) > minute(i - 1) + 1;
    if (!ends) continue;
    Run run;
    run.requests.assign(all.requests.begin() + static_cast<ptrdiff_t>(begin),
                        all.requests.begin() + static_cast<ptrdiff_t>(i));
    run.begin_ns = run.requests.front().at_ns;
    run.end_ns = run.requests.back().at_ns;
    run.details = all.details;
    side->runs.push_back(std::move(run));
    begin = i;
  }
}

}  // namespace

Side SideOf(std::span<const Recording> recordings) {
  Side side;
  Merging merging;
  for (const Recording& recording : recordings) {
    for (const SideReader::File& file : recording) {
      merging.Add(file, [](const ComparedRequest&) { return true; });
    }
    merging.EndRun(&side);
  }
  merging.EndSide(&side);
  return side;
}

std::vector<SplitValue> ValuesOf(std::span<const Recording> recordings,
                                 SplitBy by) {
  std::set<std::string> texts;
  std::set<int64_t> minutes;
  for (const Recording& recording : recordings) {
    for (const SideReader::File& file : recording) {
      if (file.run.requests.empty()) continue;
      if (by != SplitBy::kMinute) texts.insert(ValueOf(file, by));
      for (const ComparedRequest& request : file.run.requests) {
        minutes.insert(MinuteOf(request));
      }
    }
  }
  std::vector<SplitValue> values;
  if (by == SplitBy::kMinute) {
    for (const int64_t each : minutes) {
      values.push_back({TextOfMinute(each), each});
    }
  } else {
    for (const std::string& each : texts) values.push_back({each});
  }
  return values;
}

Split SplitAt(std::span<const Recording> recordings, SplitBy by,
              const SplitValue& value) {
  Split split;
  Merging some;
  Merging others;
  const bool minutes = by == SplitBy::kMinute;
  for (const Recording& recording : recordings) {
    for (const SideReader::File& file : recording) {
      const bool of_file = !minutes && ValueOf(file, by) == value.text;
      const auto is = [&](const ComparedRequest& request) {
        return minutes ? MinuteOf(request) == value.minute : of_file;
      };
      some.Add(file, is);
      others.Add(file,
                 [&](const ComparedRequest& request) { return !is(request); });
    }
    if (minutes) {
      EndMinutes(&some, &split.some);
      EndMinutes(&others, &split.others);
    } else {
      some.EndRun(&split.some);
      others.EndRun(&split.others);
    }
  }
  some.EndSide(&split.some);
  others.EndSide(&split.others);
  return split;
}

void MergeRareRoutes(size_t most, std::span<Side* const> sides,
                     SideNames* names) {
  std::vector<uint64_t> counts(names->routes.size());
  for (const Side* side : sides) {
    for (const Run& run : side->runs) {
      for (const ComparedRequest& each : run.requests) ++counts[each.route];
    }
  }
  std::vector<uint32_t> routes(counts.size());
  for (uint32_t i = 0; i < routes.size(); ++i) routes[i] = i;
  if (routes.size() <= most) return;
  std::sort(routes.begin(), routes.end(), [&](uint32_t one, uint32_t other) {
    return counts[one] > counts[other];
  });
  const auto other = static_cast<uint32_t>(names->routes.size());
  names->routes.emplace_back(kOtherRoutes);
  std::vector<bool> rare(routes.size());
  for (size_t i = most - 1; i < routes.size(); ++i) rare[routes[i]] = true;
  for (Side* side : sides) {
    for (Run& run : side->runs) {
      for (ComparedRequest& each : run.requests) {
        if (rare[each.route]) each.route = other;
      }
    }
  }
}

}  // namespace edgewise
