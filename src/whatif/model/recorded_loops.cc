#include "whatif/model/recorded_loops.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analysis/builder/edg_builder.h"
#include "analysis/stream/progress.h"
#include "analysis/stream/trace_set.h"
#include "whatif/model/fitting.h"

namespace edgewise {

RecordedLoops FitLoops(WatchedTraces* traces, const RouteFilter& routes,
                       int64_t skip_ns) {
  RecordedLoops recorded;
  recorded.routes.Keep(routes.only);
  for (size_t i = 0; i < traces->size(); ++i) {
    auto source = traces->Open(i);
    if (!source.ok()) continue;
    EventStream stream(source->get(), traces->Name(i),
                       EventStream::Detail::kAll, nullptr);
    BlameLedger ledger;
    LoopTimeline timeline(&ledger);
    StackTree stacks;
    const RequestRoutes request_routes;
    Fitting fitting({routes, skip_ns}, &recorded.routes, &recorded.dependencies,
                    &timeline);
    EdgBuilder(&stream, &request_routes, &recorded.routes,
               &recorded.dependencies, &timeline, &ledger, &stacks, &fitting,
               &fitting)
        .Run();
    if (stream.counts().started) ++recorded.files;
    LoopModel model = fitting.Finish();
    recorded.left_out += model.left_out;
    if (!model.requests.empty()) recorded.loops.push_back(std::move(model));
  }
  return recorded;
}

absl::StatusOr<RecordedLoops> ReadRecordedLoops(const std::string& directory,
                                                int64_t skip_ns) {
  const auto traces = OpenTraceDirectory(directory);
  if (!traces.ok()) return traces.status();
  AnalysisProgress untold;
  WatchedTraces watched(traces->get(), &untold);
  watched.BeginPass(0, 1);
  RecordedLoops recorded = FitLoops(&watched, {}, skip_ns);
  if (recorded.loops.empty()) {
    return absl::NotFoundError(absl::StrCat("no request in ", directory));
  }
  return recorded;
}

}  // namespace edgewise
