#include "analysis/tables/loop_json.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/requests/request_json.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

struct LoopTimes {
  double busy_ns = 0;
  double span_ns = 0;
  double off_ns = 0;
  bool off_cpu = true;  // known
};

Json TimesJson(const LoopTimes& times) {
  return {{"busy_ns", std::llround(times.busy_ns)},
          {"span_ns", std::llround(times.span_ns)},
          {"utilisation", ShareJson(times.busy_ns, times.span_ns)},
          {"not_running_ns",
           times.off_cpu ? Json(std::llround(times.off_ns)) : Json(nullptr)}};
}

}  // namespace

Json LoopJson(const std::vector<FileFacts>& files) {
  LoopTimes sum;
  // Two processes may have had one number.
  std::map<std::tuple<std::string, uint32_t, uint32_t>, LoopTimes> threads;
  for (const FileFacts& file : files) {
    LoopTimes& thread =
        threads[{file.meta.identity, file.counts.process, file.counts.thread}];
    for (LoopTimes* times : {&sum, &thread}) {
      times->busy_ns += file.busy_ns;
      times->off_ns += file.off_ns;
      times->off_cpu =
          times->off_cpu && file.meta.off_cpu_available.value_or(false);
      times->span_ns += static_cast<double>(file.counts.recorded_ns);
    }
  }
  auto busiest = threads.begin();
  for (auto thread = threads.begin(); thread != threads.end(); ++thread) {
    if (thread->second.busy_ns > busiest->second.busy_ns) busiest = thread;
  }
  Json json = TimesJson(sum);
  json["busiest"] = TimesJson(busiest->second);
  json["busiest"]["process"] = std::get<1>(busiest->first);
  json["busiest"]["thread"] = std::get<2>(busiest->first);
  return json;
}

}  // namespace edgewise
