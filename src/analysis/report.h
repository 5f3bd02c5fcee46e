#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/stream/progress.h"
#include "analysis/stream/route_filter.h"
#include "analysis/stream/trace_set.h"

// The analysis of a trace: what the addon, the command line and the tests call.

namespace edgewise {

class RequestWatcher;
class TraceStore;

struct ReportOptions {
  double percentile = 99;     // the tail begins here; in (0, 100)
  RouteFilter routes;         // only requests of these
  int64_t request = -1;       // tell this request in full; -1: none
  int64_t process = -1;       // only this process's files; -1: all
  int64_t thread = -1;        // only this thread's files; -1: all
  int64_t skip_ns = 0;        // leave out who began so soon after the first one
  std::string requests_path;  // write a JSON line per request; "": do not
  bool stacks = false;        // tell every stack that was sampled
  std::string tables;         // write tables to this directory; "": do not
  // With tables: is given what was recorded, where and when, as JSON: {host,
  // command, unixMs, key}; may be null.
  std::string* recording = nullptr;
  // Without tables: is told of each request; may be null.
  RequestWatcher* watcher = nullptr;
  int64_t slowest = 5;  // how many of the slowest requests to tell
  // Is given what a page needs to know of each request; null: nobody wants it.
  std::string* columns = nullptr;
  // With columns: is told of everything, and answers afterwards; may be null.
  TraceStore* store = nullptr;
  // Directories for what memory has no room for: the first that can hold it.
  std::vector<std::string> scratch;
  AnalysisProgress* progress = nullptr;  // is told how far it is; may be null
};

// Reads all traces (`*.ewt`) in `dir`, twice and file by file, and returns the
// report as JSON text ("schema": 1, docs/report-json.md). Damaged files do not
// fail: what could not be read is listed in the report.
// NotFound: no usable trace in `dir`, or no such request or route in it.
// InvalidArgument: an option outside its range. Unavailable: the requests could
// not be written. Cancelled: `progress` was.
absl::StatusOr<std::string> BuildReport(const std::string& dir,
                                        const ReportOptions& options);

// The same for files in memory.
absl::StatusOr<std::string> BuildReport(std::span<const TraceBytes> files,
                                        const ReportOptions& options);

}  // namespace edgewise
