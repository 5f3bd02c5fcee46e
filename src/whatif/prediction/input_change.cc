#include "whatif/prediction/input_change.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "whatif/prediction/change.h"
#include "whatif/prediction/line.h"

namespace edgewise {
namespace {

constexpr size_t kFewestSizes = 30;  // requests that a line is fitted on

struct Sizes {
  LineFit fit;
  float largest = 0;
};

double ExecutionOf(const LoopModel& model, const ModelRequest& request) {
  double ns = 0;
  for (uint32_t i = 0; i < request.jobs; ++i) {
    ns += model.jobs[request.first_job + i].own_ns;
  }
  return ns;
}

}  // namespace

absl::Status ScaleInput(const std::string& route, double scale,
                        const RouteTable& routes, LoopModel* model,
                        std::vector<std::string>* assumed) {
  absl::flat_hash_map<uint32_t, Sizes> sizes;
  bool any = false;
  for (const ModelRequest& request : model->requests) {
    if (!route.empty() && routes.Text(request.route) != route) continue;
    any = true;
    if (request.in_bytes < 0) continue;
    Sizes& found = sizes[request.route];
    found.fit.Add(request.in_bytes, ExecutionOf(*model, request));
    found.largest = std::max(found.largest, request.in_bytes);
  }
  if (!any) {
    return absl::NotFoundError(absl::StrCat("no request of route ", route));
  }
  absl::flat_hash_map<uint32_t, Line> lines;
  size_t known = 0;
  for (const auto& [number, found] : sizes) {
    known = std::max(known, found.fit.count());
    if (found.fit.count() < kFewestSizes) continue;
    const std::optional<Line> line = found.fit.Find();
    if (!line.has_value()) continue;
    lines[number] = *line;
    if (found.fit.mean_x() * scale > found.largest) {
      assumed->push_back(absl::StrCat(
          "execution of ", routes.Text(number),
          " goes on to grow beyond the largest request that was recorded, ",
          static_cast<uint64_t>(found.largest), " bytes"));
    }
  }
  const std::string of = route.empty() ? "any route" : "route " + route;
  if (known < kFewestSizes) {
    return absl::FailedPreconditionError(
        absl::StrCat("the sizes of ", known, " requests of ", of,
                     " are known; at least ", kFewestSizes, " are needed"));
  }
  if (lines.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "what the size of requests of ", of,
        " costs cannot be told from this recording: execution does not grow "
        "with it"));
  }
  assumed->push_back("what a larger request waits for takes no longer");
  for (ModelRequest& request : model->requests) {
    const auto line = lines.find(request.route);
    if (line == lines.end()) continue;
    const double bytes = request.in_bytes >= 0
                             ? request.in_bytes
                             : sizes[request.route].fit.mean_x();
    const double now = line->second.At(bytes);
    if (now <= 0) continue;
    const double times = line->second.At(bytes * scale) / now;
    for (uint32_t i = 0; i < request.jobs; ++i) {
      Stretch(&model->jobs[request.first_job + i], times);
    }
  }
  return absl::OkStatus();
}

}  // namespace edgewise
