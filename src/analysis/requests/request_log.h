#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/builder/edg_builder.h"
#include "analysis/stream/route_table.h"
#include "analysis/tail/statistics.h"

namespace edgewise {

// Writes one JSON object a line for each request (docs/report-json.md). The
// file is created with mode 0600, or emptied: routes are the user's business.
class RequestLog {
 public:
  // Errors name the file.
  static absl::StatusOr<std::unique_ptr<RequestLog>> Create(
      const std::string& path, const RouteTable* routes);
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  // `off_cpu`: when its thread did not run is known.
  void Add(const EndedRequest& request, const Components& components,
           uint32_t process, uint32_t thread, std::string_view identity,
           bool off_cpu);

  // Writes what is buffered. The first error of any write.
  absl::Status Close();

 private:
  RequestLog(std::string path, int fd, const RouteTable* routes)
      : path_(std::move(path)), fd_(fd), routes_(routes) {}
  void Flush();
  const std::string& QuotedRoute(uint32_t route);

  std::string path_;
  int fd_;
  const RouteTable* routes_;
  std::string buffer_;
  std::vector<std::string> quoted_;  // by route
  absl::Status status_;
};

}  // namespace edgewise
