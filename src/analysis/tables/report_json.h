#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/stream/event_stream.h"
#include "analysis/stream/route_table.h"
#include "analysis/stream/trace_meta.h"
#include "analysis/tables/explain_pass.h"
#include "analysis/tail/statistics.h"
#include "trace/reader.h"

namespace edgewise {

// What the second pass, which reads everything, learned about one usable file.
struct FileFacts {
  StreamCounts counts;
  double busy_ns;  // its loop ran an event, or collected garbage
  double off_ns;   // of it, the thread did not run
  TraceMeta meta;
  bool still_written;  // its recorder goes on
};

// All that a report is made of.
struct ReportInput {
  double percentile;
  bool want_request;
  bool want_stacks;  // every one, and their tree
  const std::vector<FileFacts>* files;
  const RouteTable* routes;
  const LatencyStatistics* statistics;
  const ExplainPass* explained;
  const ProblemLog* problems;
  uint64_t unrecorded;  // threads without a file, for want of room
  // Numbers that several processes of the trace had.
  const std::set<uint32_t>* ambiguous;
};

// JSON text, documented in docs/report-json.md. Invalid UTF-8 in names is
// replaced.
std::string ReportJson(const ReportInput& input);

}  // namespace edgewise
