#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/builder/edg_builder.h"
#include "analysis/page/cause_table.h"
#include "analysis/page/request_columns.h"
#include "analysis/page/step_tables.h"
#include "analysis/page/store/length_store.h"
#include "analysis/page/store/request_store.h"
#include "analysis/page/store/scratch_file.h"
#include "analysis/page/store/slice_store.h"

namespace edgewise {

// All that a page may ask for and its file has no room for: what any loop did
// at any time, and any request's critical path. It lies on disk, so that memory
// does not grow with the trace.
class TraceStore {
 public:
  static constexpr size_t kMostRequests = 1000;  // in one answer

  // In the first of `directories` that can hold it.
  static absl::StatusOr<std::unique_ptr<TraceStore>> Create(
      std::span<const std::string> directories);

  // Writing: from one analysis, file after file.

  // The numbers of causes in all answers are those of `causes`. Before anything
  // is added.
  void Begin(CauseTable* causes);
  void AddPiece(const Piece& piece, VmTimes vm, BlameLedger* ledger) {
    slices_->Add(piece, vm, ledger);
  }
  void AddRequest(const RequestColumns::Values& values,
                  const EndedRequest& request) {
    requests_.Add(values, request);
  }
  void AddLength(int64_t at_ns, uint64_t waiting) {
    lengths_.Add(at_ns, waiting);
  }
  void EndFile(BlameLedger* ledger);
  // `origin_ns`: time 0 of all answers; they end with the `span_ns` from there.
  absl::Status Finish(int64_t origin_ns, int64_t span_ns);

  // Reading: by any thread, after Finish(). Answers are containers with tables
  // as a page's (docs/page-data.md); times are in ns since the origin.

  // What the loops did in a stretch of time, and how many requests waited; what
  // is shorter than `least_ns` is told in sums.
  absl::StatusOr<std::string> Window(int64_t from_ns, int64_t to_ns,
                                     int64_t least_ns) const;
  // The slowest of a selection; `most`: 1 to kMostRequests.
  absl::StatusOr<std::string> Slowest(RequestSelection selection,
                                      size_t most) const;
  // One request, by the number that the answers give. NotFound: there is none.
  absl::StatusOr<std::string> Request(uint64_t number) const;

 private:
  explicit TraceStore(std::unique_ptr<ScratchFile> file)
      : file_(std::move(file)), lengths_(file_.get()), requests_(file_.get()) {}

  using CauseNs = absl::flat_hash_map<uint32_t, int64_t>;
  absl::StatusOr<std::string> Answer(
      std::span<const RequestStore::Found> found) const;
  absl::Status AddBlocking(size_t lane, const RequestStore::Span& span,
                           CauseNs* causes) const;

  const std::unique_ptr<ScratchFile> file_;
  std::unique_ptr<SliceStore> slices_;
  LengthStore lengths_;
  RequestStore requests_;
  size_t lanes_ = 0;
  int64_t origin_ns_ = 0;
  int64_t span_ns_ = 0;
  struct {
    uint32_t jit, ic, loop, wake;
  } causes_{};
};

}  // namespace edgewise
