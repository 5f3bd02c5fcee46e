#include "analysis/page/store/slice_store.h"

#include <algorithm>

#include "analysis/page/store/bytes.h"

namespace edgewise {
namespace {

// For how long it was what, of few that share a place.
class Tally {
 public:
  void Add(uint32_t cause, uint32_t off, int64_t ns) {
    for (Entry& entry : entries_) {
      if (entry.cause != cause || entry.off != off) continue;
      entry.ns += ns;
      return;
    }
    entries_.push_back({cause, off, ns});
  }
  void Clear() { entries_.clear(); }

  struct Entry {
    uint32_t cause;
    uint32_t off;
    int64_t ns;
  };
  // All 0: there is none.
  Entry Top() const {
    Entry top{};
    for (const Entry& entry : entries_) {
      if (entry.ns > top.ns) top = entry;
    }
    return top;
  }

 private:
  std::vector<Entry> entries_;
};

constexpr uint64_t kHasVm = 1;
constexpr uint64_t kIsGc = 2;
constexpr uint64_t kOffUnit = 4;
constexpr uint64_t kCauseUnit = 32;

// Slices that are too small to be drawn, one after the other.
class Crowd {
 public:
  explicit Crowd(const std::vector<uint32_t>& cause_of) : cause_of_(cause_of) {}

  void Add(int64_t begin_ns, int64_t end_ns, uint64_t count,
           const SliceKind::Totals& totals) {
    if (count_ == 0) begin_ns_ = begin_ns;
    end_ns_ = end_ns;
    count_ += count;
    busy_ns_ += totals.busy_ns - totals.gc_ns;
    if (totals.top_ns > 0) {
      tally_.Add(totals.top_cause, totals.top_off, totals.top_ns);
    }
    if (totals.gc_ns > 0) gc_cause_ = totals.gc_cause;
    gc_ns_ += totals.gc_ns;
  }
  bool IsEmpty() const { return count_ == 0; }
  int64_t begin_ns() const { return begin_ns_; }

  void Draw(std::vector<SliceStore::Drawn>* drawn) {
    if (busy_ns_ > 0) {
      const Tally::Entry top = tally_.Top();
      drawn->push_back({begin_ns_, end_ns_, cause_of_[top.cause],
                        static_cast<uint8_t>(top.off), count_, busy_ns_});
    }
    if (gc_ns_ > 0) {
      drawn->push_back(
          {begin_ns_, end_ns_, cause_of_[gc_cause_], 0, count_, gc_ns_});
    }
    tally_.Clear();
    count_ = 0;
    busy_ns_ = gc_ns_ = 0;
  }

 private:
  const std::vector<uint32_t>& cause_of_;
  Tally tally_;
  int64_t begin_ns_ = 0;
  int64_t end_ns_ = 0;
  int64_t busy_ns_ = 0;
  int64_t gc_ns_ = 0;
  uint64_t count_ = 0;
  uint32_t gc_cause_ = 0;
};

}  // namespace

SliceKind::Totals SliceKind::TotalsOf(const Record& slice) {
  Totals totals{};
  totals.busy_ns = slice.end_ns - slice.begin_ns;
  if (slice.is_gc) {
    totals.gc_ns = totals.busy_ns;
    totals.gc_cause = slice.cause;
  } else {
    totals.top_ns = totals.busy_ns;
    totals.top_cause = slice.cause;
    totals.top_off = slice.off;
  }
  return totals;
}

SliceKind::Totals SliceKind::Sum(std::span<const Totals> parts) {
  Totals totals{};
  Tally tally;
  for (const Totals& part : parts) {
    totals.busy_ns += part.busy_ns;
    totals.gc_ns += part.gc_ns;
    if (part.gc_ns > 0) totals.gc_cause = part.gc_cause;
    if (part.top_ns > 0) tally.Add(part.top_cause, part.top_off, part.top_ns);
  }
  const Tally::Entry top = tally.Top();
  totals.top_cause = top.cause;
  totals.top_off = top.off;
  totals.top_ns = top.ns;
  return totals;
}

void SliceKind::Encode(std::span<const Record> slices, std::string* bytes) {
  int64_t at_ns = 0;
  for (const Record& slice : slices) {
    const bool has_vm = slice.vm.jit_ns != 0 || slice.vm.ic_ns != 0;
    PutSigned(slice.begin_ns - at_ns, bytes);
    PutNumber(static_cast<uint64_t>(slice.end_ns - slice.begin_ns), bytes);
    PutNumber(slice.cause * kCauseUnit + slice.off * kOffUnit +
                  (slice.is_gc ? kIsGc : 0) + (has_vm ? kHasVm : 0),
              bytes);
    if (has_vm) {
      PutSigned(slice.vm.jit_ns, bytes);
      PutSigned(slice.vm.ic_ns, bytes);
    }
    at_ns = slice.end_ns;
  }
}

void SliceKind::Decode(std::string_view bytes, size_t count,
                       std::vector<Record>* slices) {
  NumberReader reader(bytes);
  int64_t at_ns = 0;
  for (size_t i = 0; i < count; ++i) {
    Record slice{};
    slice.begin_ns = at_ns + reader.NextSigned();
    slice.end_ns = slice.begin_ns + static_cast<int64_t>(reader.Next());
    const uint64_t what = reader.Next();
    slice.cause = static_cast<uint32_t>(what / kCauseUnit);
    slice.off = static_cast<uint8_t>(what % kCauseUnit / kOffUnit);
    slice.is_gc = (what & kIsGc) != 0;
    if ((what & kHasVm) != 0) {
      slice.vm.jit_ns = reader.NextSigned();
      slice.vm.ic_ns = reader.NextSigned();
    }
    at_ns = slice.end_ns;
    slices->push_back(slice);
  }
}

void SliceStore::Add(const Piece& piece, VmTimes vm, BlameLedger* ledger) {
  const uint32_t cause = NumberOf(CauseTable::Of(piece, *ledger), ledger);
  const uint8_t off =
      piece.off ? static_cast<uint8_t>(1 + static_cast<int>(piece.why)) : 0;
  const bool measured = vm.jit_ns != 0 || vm.ic_ns != 0 ||
                        last_.vm.jit_ns != 0 || last_.vm.ic_ns != 0;
  const bool follows = last_.end_ns == piece.begin_ns && last_.end_ns > 0 &&
                       last_.cause == cause && last_.off == off &&
                       last_.is_gc == piece.is_gc && !measured;
  if (follows) {
    last_.end_ns = piece.end_ns;
    return;
  }
  if (last_.end_ns > last_.begin_ns) slices_.Push(last_);
  last_ = {piece.begin_ns, piece.end_ns, cause, off, piece.is_gc, vm};
}

uint32_t SliceStore::NumberOf(const CauseTable::Owned& owned,
                              BlameLedger* ledger) {
  const auto next = static_cast<uint32_t>(cause_of_.size());
  if (owned.open != 0) {
    const auto [found, added] = open_numbers_.try_emplace(
        std::pair(owned.open, owned.cause.type), next);
    if (added) {
      ledger->AddReference(owned.open);
      open_.emplace_back(next, owned);
      cause_of_.push_back(0);
    }
    return found->second;
  }
  const auto [found, added] =
      numbers_.try_emplace(CauseTable::KeyOf(owned.cause), next);
  if (added) cause_of_.push_back(causes_->Intern(owned.cause));
  return found->second;
}

void SliceStore::EndFile(BlameLedger* ledger) {
  if (last_.end_ns > last_.begin_ns) slices_.Push(last_);
  last_ = {};
  slices_.EndLane();
  for (const auto& [number, owned] : open_) {
    CauseTable::Cause cause = owned.cause;
    cause.route = ledger->RouteOf(owned.open);
    ledger->DropReference(owned.open);
    cause_of_[number] = causes_->Intern(cause);
  }
  open_.clear();
  open_numbers_.clear();
}

absl::Status SliceStore::Draw(size_t lane, int64_t from_ns, int64_t to_ns,
                              int64_t least_ns,
                              std::vector<Drawn>* drawn) const {
  if (lane >= slices_.roots().size() || !slices_.roots()[lane]) {
    return absl::OkStatus();
  }
  Crowd crowd(cause_of_);
  const auto add = [&](const auto& of, uint64_t count,
                       const SliceKind::Totals& totals) {
    const bool apart = !crowd.IsEmpty() &&
                       of.begin_ns / least_ns != crowd.begin_ns() / least_ns;
    if (apart) crowd.Draw(drawn);
    crowd.Add(of.begin_ns, of.end_ns, count, totals);
  };
  const auto enter = [&](const Pyramid<SliceKind>::Node& node) {
    if (node.begin_ns >= to_ns || node.end_ns <= from_ns) return false;
    if (node.end_ns - node.begin_ns > least_ns) return true;
    add(node, node.count, node.totals);
    return false;
  };
  absl::Status status = slices_.Walk(
      *slices_.roots()[lane], enter, [&](const StoredSlice& slice) {
        if (slice.begin_ns >= to_ns || slice.end_ns <= from_ns) return;
        const int64_t ns = slice.end_ns - slice.begin_ns;
        if (ns <= least_ns) {
          add(slice, 1, SliceKind::TotalsOf(slice));
          return;
        }
        crowd.Draw(drawn);
        drawn->push_back({slice.begin_ns, slice.end_ns, cause_of_[slice.cause],
                          slice.off, 1, ns});
      });
  crowd.Draw(drawn);
  return status;
}

}  // namespace edgewise
