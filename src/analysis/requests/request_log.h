#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/builder/edg_builder.h"
#include "analysis/requests/output_file.h"
#include "analysis/stream/route_table.h"
#include "analysis/tail/statistics.h"
#include "trace/trace_context.h"

namespace edgewise {

// Writes one JSON object a line for each request (docs/report-json.md).
class RequestLog {
 public:
  // Errors name the file.
  static absl::StatusOr<std::unique_ptr<RequestLog>> Create(
      const std::string& path, const RouteTable* routes);

  // Where requests are served.
  struct Place {
    uint32_t process;
    uint32_t thread;
    std::string_view identity;
    bool off_cpu;  // when its thread did not run is known
  };
  // `context` may be null.
  void Add(const EndedRequest& request, const Components& components,
           const Place& place, const TraceContext* context);

  // Writes what is buffered. The first error of any write.
  absl::Status Close() { return file_->Close(); }

 private:
  RequestLog(std::unique_ptr<OutputFile> file, const RouteTable* routes)
      : file_(std::move(file)), routes_(routes) {}
  const std::string& QuotedRoute(uint32_t route);

  const std::unique_ptr<OutputFile> file_;
  const RouteTable* const routes_;
  std::vector<std::string> quoted_;  // by route
};

}  // namespace edgewise
