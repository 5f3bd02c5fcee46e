#include "analysis/rows/cause_clock.h"

#include <algorithm>

namespace edgewise {

CauseClock::CauseClock(CauseTable* causes)
    : causes_(causes),
      jit_(causes->Intern({Blocker::Kind::kJit, 0, 0})),
      ic_(causes->Intern({Blocker::Kind::kIc, 0, 0})),
      loop_(causes->Intern({Blocker::Kind::kLoop, 0, 0})),
      wake_(causes->Intern({Blocker::Kind::kWake, 0, 0})) {}

uint32_t CauseClock::CauseOf(const Piece& piece, const RowContext& context) {
  if (piece.is_gc) return causes_->Intern({Blocker::Kind::kGc, 0, piece.type});
  if (piece.owner == 0)
    return causes_->Intern({Blocker::Kind::kEvent, 0, piece.type});
  return causes_->Intern(
      {Blocker::Kind::kRequest, context.RouteOf(piece.owner), piece.type});
}

void CauseClock::Advance(const LoopTimeline& timeline,
                         const RowContext& context) {
  if (known_ < timeline.first()) {  // What was missed is told no more.
    known_ = timeline.first();
    marks_.clear();
  }
  for (; known_ < timeline.next(); ++known_) {
    if (known_ % kEvery == 0) {
      if (marks_.empty()) first_mark_ = known_ / kEvery;
      marks_.push_back(sums_);
    }
    const size_t place = known_ % LoopTimeline::kWindow;
    if (place >= cause_of_.size()) {
      cause_of_.resize(std::min<size_t>(
          LoopTimeline::kWindow, std::max(2 * cause_of_.size(), place + 1)));
    }
    const Piece& piece = timeline.At(known_);
    const uint32_t cause = CauseOf(piece, context);
    cause_of_[place] = cause;
    sums_.resize(std::max<size_t>(sums_.size(), causes_->causes().size()));
    VmTimes vm;
    if (timeline.has_vm_times()) {
      vm = timeline.VmWithin(known_, piece.begin_ns, piece.end_ns);
    }
    sums_[cause] += piece.end_ns - piece.begin_ns - vm.jit_ns - vm.ic_ns;
    sums_[jit_] += vm.jit_ns;
    sums_[ic_] += vm.ic_ns;
  }
  while (!marks_.empty() && (first_mark_ * kEvery < timeline.first() ||
                             marks_.size() * sums_.size() > kMostKept)) {
    marks_.pop_front();
    ++first_mark_;
  }
}

void CauseClock::EndFile(const LoopTimeline& timeline) {
  known_ = timeline.next();
  marks_.clear();
}

void CauseClock::Add(uint32_t cause, int64_t ns) {
  if (ns == 0) return;
  if (cause >= wait_.size()) wait_.resize(causes_->causes().size());
  if (wait_[cause] == 0) touched_.push_back(cause);
  wait_[cause] += ns;
}

void CauseClock::AddPieces(uint64_t from, uint64_t to, int64_t from_ns,
                           const LoopTimeline& timeline) {
  for (uint64_t number = from; number < to; ++number) {
    const Piece& piece = timeline.At(number);
    int64_t ns = piece.end_ns - std::max(piece.begin_ns, from_ns);
    if (timeline.has_vm_times()) {
      const VmTimes vm = timeline.VmWithin(number, from_ns, piece.end_ns);
      ns -= vm.jit_ns + vm.ic_ns;
      Add(jit_, vm.jit_ns);
      Add(ic_, vm.ic_ns);
    }
    Add(cause_of_[number % LoopTimeline::kWindow], ns);
  }
}

void CauseClock::AddSpan(const QueueSpan& span, const LoopTimeline& timeline) {
  const LoopTimeline::Occupied occupied =
      timeline.Between(span.from_ns, span.from_piece, span.to_piece);
  Add(span.loop_slept ? wake_ : loop_,
      span.to_ns - span.from_ns - occupied.busy_ns);
  const uint64_t to = span.to_piece;
  // The first one may be cut; sums are of whole pieces.
  const uint64_t from_mark =
      std::max(first_mark_, (occupied.first + kEvery) / kEvery);
  const uint64_t to_mark =
      std::min(to / kEvery, first_mark_ + marks_.size() - 1);
  if (marks_.empty() || to_mark <= from_mark) {
    AddPieces(occupied.first, to, span.from_ns, timeline);
    return;
  }
  AddPieces(occupied.first, from_mark * kEvery, span.from_ns, timeline);
  const Sums& begin = marks_[from_mark - first_mark_];
  const Sums& end = marks_[to_mark - first_mark_];
  for (uint32_t cause = 0; cause < end.size(); ++cause) {
    Add(cause, end[cause] - (cause < begin.size() ? begin[cause] : 0));
  }
  AddPieces(to_mark * kEvery, to, span.from_ns, timeline);
}

const std::vector<CauseClock::Part>& CauseClock::Of(
    const CriticalPath& path, const LoopTimeline& timeline) {
  for (const QueueSpan& span : path.spans) AddSpan(span, timeline);
  parts_.clear();
  for (const uint32_t cause : touched_) {
    if (wait_[cause] != 0) parts_.push_back({cause, wait_[cause]});
    wait_[cause] = 0;
  }
  touched_.clear();
  std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
    return a.ns != b.ns ? a.ns > b.ns : a.cause < b.cause;
  });
  return parts_;
}

}  // namespace edgewise
