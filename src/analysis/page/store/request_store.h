#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/builder/edg_builder.h"
#include "analysis/page/request_columns.h"
#include "analysis/page/store/pyramid.h"
#include "analysis/requests/request_detail.h"

namespace edgewise {

// What of a request says whether it is chosen, and where the rest is.
struct StoredRequest {
  int64_t start_ns;
  int64_t latency_ns;
  uint32_t route;
  bool tail;
  uint64_t at;  // in the file
  uint32_t bytes;
};

struct StoredRequestKind {
  using Record = StoredRequest;
  struct Totals {
    int64_t least_ns;  // of their latencies
    int64_t most_ns;
    uint64_t routes;  // a bit for each, perhaps of several
    uint64_t tails;
  };
  static int64_t BeginOf(const Record& request) { return request.start_ns; }
  static int64_t EndOf(const Record& request) { return request.start_ns + 1; }
  static uint64_t BitOf(uint32_t route) { return uint64_t{1} << (route % 64); }
  static Totals TotalsOf(const Record& request) {
    return {request.latency_ns, request.latency_ns, BitOf(request.route),
            request.tail ? uint64_t{1} : 0};
  }
  static Totals Sum(std::span<const Totals> parts);
  static void Encode(std::span<const Record> requests, std::string* bytes);
  static void Decode(std::string_view bytes, size_t count,
                     std::vector<Record>* requests);
};

// Which requests are asked for. Times in ns of the trace's clock.
struct RequestSelection {
  int64_t origin_ns = 0;  // starts are told in whole us from here
  int64_t from_ns = INT64_MIN;
  int64_t to_ns = INT64_MAX;  // exclusive
  int64_t least_ns = 0;       // latency, both inclusive
  int64_t most_ns = INT64_MAX;
  std::optional<uint32_t> route;
  bool tail = false;  // of the report's tail; then neither time nor latency

  bool Has(const StoredRequest& request) const;
};

// All requests with their critical paths, on disk. They are numbered in the
// order in which they were added.
class RequestStore {
 public:
  explicit RequestStore(ScratchFile* file) : file_(file), requests_(file) {}

  void Add(const RequestColumns::Values& values, const EndedRequest& request);
  void EndFile() { requests_.EndLane(); }

  // Only what follows after the file was flushed.

  struct Found {
    uint64_t number;
    size_t lane;
    StoredRequest request;
  };
  // The slowest of a selection, slowest first.
  absl::StatusOr<std::vector<Found>> Slowest(const RequestSelection& selection,
                                             size_t most) const;
  // NotFound: there are not so many.
  absl::StatusOr<Found> At(uint64_t number) const;

  struct Span {
    int64_t from_ns;
    int64_t to_ns;
    bool loop_slept;
  };
  struct Step {
    DetailStep step;  // without what blocked it
    std::vector<Span> queued;
  };
  struct Whole {
    RequestColumns::Values values;
    std::vector<Step> steps;
  };
  absl::StatusOr<Whole> Read(const StoredRequest& request) const;

 private:
  using Index = Pyramid<StoredRequestKind>;

  ScratchFile* const file_;
  Index requests_;
  std::string bytes_;
};

}  // namespace edgewise
