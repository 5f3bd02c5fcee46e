#include "analysis/page/page_columns.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/hash/hash.h"
#include "analysis/graph/critical_path.h"
#include "analysis/page/part_names.h"
#include "analysis/requests/request_json.h"

namespace edgewise {
PageColumns::PageColumns(const Plan& plan) : plan_(plan), line_(plan.scratch) {
  if (plan_.store != nullptr) plan_.store->Begin(&causes_);
  for (const char* name : kNames) columns_.emplace_back(name);
  for (const PartName& part : kPartNames) columns_.emplace_back(part.name);
  const auto most = static_cast<uint64_t>(std::clamp<double>(
      static_cast<double>(kMostShared) / 32 /
          static_cast<double>(std::max<uint64_t>(1, plan.kinds)),
      16, 256));
  shared_span_ns_ =
      std::max<int64_t>(1, plan.span_ns / static_cast<int64_t>(most) + 1);
}

// The row of those that have as much in common; null: it has one of its own.
std::optional<uint32_t> PageColumns::SharedRow(const Values& values) {
  const auto latency_ns =
      static_cast<int64_t>(values[kIo] + values[kQueue] + values[kExec]);
  if (latency_ns >= plan_.own_from_ns && columns_[kStart].size() < kMostRows) {
    return std::nullopt;
  }
  const auto start_ns = static_cast<int64_t>(values[kStart]);
  const int64_t time = (start_ns - plan_.begin_ns) / shared_span_ns_;
  const auto size = static_cast<int64_t>(
      kPartsOfOctave * std::log2(static_cast<double>(latency_ns) + 1));
  uint64_t key = absl::HashOf(time, size);
  for (size_t i = kTail; i < kId; ++i) key = absl::HashOf(key, values[i]);
  const auto [found, added] =
      shared_.try_emplace(key, static_cast<uint32_t>(columns_[kStart].size()));
  if (added) return std::nullopt;
  return found->second;
}

uint32_t PageColumns::RowOf(const Values& values) {
  if (const std::optional<uint32_t> shared = SharedRow(values)) {
    for (size_t i = kCount; i < kWaiting; ++i) {
      columns_[i].Add(*shared, values[i]);
    }
    for (size_t i = kFirstPart; i < kAll; ++i) {
      columns_[i].Add(*shared, values[i]);
    }
    return *shared;
  }
  const auto row = static_cast<uint32_t>(columns_[kStart].size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].Push(values[i]);
  }
  return row;
}

uint32_t PageColumns::Add(const EndedRequest& request,
                          const Components& components, const Rank& rank,
                          const LoopTimeline& timeline, BlameLedger* ledger) {
  const auto& ns = components.ns;
  const Doubts doubts = DoubtsOf(request.graph, request.path);
  Values values = {Whole(request.graph.ready_ns),
                   1,
                   Whole(ns[Components::kIo]),
                   Whole(ns[Components::kQueue]),
                   Whole(ns[Components::kExec]),
                   uint64_t{doubts.inferred} + doubts.bounds,
                   0,
                   rank.tail,
                   request.route,
                   request.status,
                   static_cast<uint64_t>(request.outcome),
                   static_cast<uint64_t>(request.graph.kind),
                   threads_.size(),
                   static_cast<uint64_t>(request.graph.connection),
                   request.id};
  for (size_t i = 0; i < kPartNames.size(); ++i) {
    values[kFirstPart + i] = Whole(ns[kPartNames[i].index]);
  }
  if (plan_.store != nullptr) plan_.store->AddRequest(values, request);
  const uint32_t row = RowOf(values);
  line_.Came(row, request.graph.ready_ns);
  for (const QueueSpan& span : request.path.spans) {
    line_.Waited(span.from_ns, span.to_ns);
  }
  for (const PathStep& step : request.path.steps) {
    waits_.Add(row, request.graph.At(step.node).dependency, step.io_ns);
  }
  blocks_.Add(row, request.path, rank.tail, timeline, ledger);
  const uint64_t apart = std::max<uint64_t>(1, plan_.requests / kSamples);
  // A store answers for any window.
  if (plan_.store == nullptr && (rank.slow || added_ % apart == 0)) {
    windows_.Cover(request.graph.ready_ns, request.end_ns, timeline);
  }
  ++added_;
  return row;
}

void PageColumns::OnPiece(const Piece& piece, VmTimes vm, BlameLedger* ledger) {
  bins_.OnPiece(piece);
  windows_.OnPiece(piece, ledger);
  if (plan_.store != nullptr) plan_.store->AddPiece(piece, vm, ledger);
}

void PageColumns::EndFile(Thread thread, BlameLedger* ledger) {
  blocks_.EndFile(ledger);
  windows_.EndFile(static_cast<uint32_t>(threads_.size()), ledger);
  threads_.push_back(std::move(thread));
  status_.Update(line_.Finish(
      [this](uint32_t row, uint64_t waiting) {
        columns_[kWaiting].Add(row, waiting);
      },
      [this](int64_t ns, uint64_t waiting) {
        windows_.OnLength(ns, waiting);
        if (plan_.store != nullptr) plan_.store->AddLength(ns, waiting);
      }));
  windows_.EndLengths();
  if (plan_.store != nullptr) plan_.store->EndFile(ledger);
}

}  // namespace edgewise
