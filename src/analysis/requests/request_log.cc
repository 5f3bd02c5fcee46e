#include "analysis/requests/request_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

constexpr size_t kLogBufferBytes = 256 << 10;

absl::Status WriteError(const std::string& path, int error) {
  return absl::UnavailableError(absl::StrCat("cannot write the requests to ",
                                             path, ": ", std::strerror(error)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RequestLog>> RequestLog::Create(
    const std::string& path, const RouteTable* routes) {
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return WriteError(path, errno);
  return std::unique_ptr<RequestLog>(new RequestLog(path, fd, routes));
}

RequestLog::~RequestLog() {
  if (fd_ >= 0) close(fd_);
}

const std::string& RequestLog::QuotedRoute(uint32_t route) {
  if (route >= quoted_.size()) quoted_.resize(route + 1);
  if (quoted_[route].empty()) {
    quoted_[route] =
        nlohmann::json(routes_->Text(route))
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return quoted_[route];
}

void RequestLog::Add(const EndedRequest& request, const Components& components,
                     uint32_t process, uint32_t thread,
                     std::string_view identity, bool off_cpu) {
  const auto& ns = components.ns;
  absl::StrAppend(&buffer_, "{\"id\":", request.id, ",\"process\":", process,
                  ",\"thread\":", thread);
  if (!identity.empty()) {
    const nlohmann::json quoted(identity);
    absl::StrAppend(
        &buffer_, ",\"identity\":",
        quoted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  absl::StrAppend(&buffer_, ",\"route\":", QuotedRoute(request.route),
                  ",\"status\":", request.status);
  absl::StrAppend(&buffer_, ",\"start_ns\":", request.graph.ready_ns,
                  ",\"end_ns\":", request.end_ns,
                  ",\"latency_ns\":", ns[Components::kLatency],
                  ",\"io_ns\":", ns[Components::kIo],
                  ",\"queue_ns\":", ns[Components::kQueue]);
  absl::StrAppend(
      &buffer_, ",\"exec_ns\":", ns[Components::kExec],
      ",\"gc_ns\":", ns[Components::kExecGc] + ns[Components::kQueueGc]);
  const int64_t off_ns = components.OffAt(Components::kExecOff).total_ns() +
                         components.OffAt(Components::kQueueOff).total_ns();
  absl::StrAppend(&buffer_, ",\"not_running_ns\":",
                  off_cpu ? absl::StrCat(off_ns) : "null");
  const Doubts doubts = DoubtsOf(request.graph, request.path);
  absl::StrAppend(&buffer_, ",\"inferred\":", doubts.inferred,
                  ",\"bounds\":", doubts.bounds, "}\n");
  if (buffer_.size() >= kLogBufferBytes) Flush();
}

void RequestLog::Flush() {
  size_t done = 0;
  while (status_.ok() && done < buffer_.size()) {
    const ssize_t count =
        write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      status_ = WriteError(path_, errno);
      break;
    }
    done += static_cast<size_t>(count);
  }
  buffer_.clear();
}

absl::Status RequestLog::Close() {
  Flush();
  if (close(fd_) != 0 && status_.ok()) status_ = WriteError(path_, errno);
  fd_ = -1;
  return status_;
}

}  // namespace edgewise
