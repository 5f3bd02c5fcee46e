#include "analysis/graph/blame.h"

#include <algorithm>
#include <utility>

namespace edgewise {
namespace {

constexpr uint64_t kPendingKey = uint64_t{1} << 63;

uint64_t KeyOf(Blocker::Kind kind, uint32_t route, uint8_t type) {
  return static_cast<uint64_t>(kind) << 48 | static_cast<uint64_t>(route) << 8 |
         type;
}

}  // namespace

// Owner 0 is nobody.
BlameLedger::BlameLedger() : owners_(1) {}

uint32_t BlameLedger::NewOwner() {
  uint32_t owner = static_cast<uint32_t>(owners_.size());
  if (!free_owners_.empty()) {
    owner = free_owners_.back();
    free_owners_.pop_back();
  } else {
    owners_.emplace_back();
  }
  owners_[owner] = {};
  owners_[owner].open = true;
  owners_[owner].has_pieces = true;
  return owner;
}

void BlameLedger::CloseOwner(uint32_t owner, uint32_t route) {
  Owner& closed = owners_[owner];
  closed.open = false;
  closed.route = route;
  if (closed.has_pending) {
    const auto it = pending_.find(owner);
    for (const uint32_t number : it->second) Merge(number, owner, route);
    pending_.erase(it);
    closed.has_pending = false;
  }
  closed_.push_back(owner);
}

// The route of a pending cause is known now. Requests that still wait are
// counted once; of those that are over, some may be in both numbers.
void BlameLedger::Merge(uint32_t pending, uint32_t owner, uint32_t route) {
  const Cause from = std::move(causes_[pending]);
  Blocker to = from.blocker;
  cause_numbers_.erase(kPendingKey | KeyOf(to.kind, owner, to.type));
  to.route = route;
  to.queue_ns = to.off_ns = 0;
  to.requests = 0;
  const uint32_t number = FindCause(KeyOf(to.kind, route, to.type), to);
  uint64_t more = 0;
  for (const uint32_t request : from.waiting) {
    if (!RemoveCause(request, pending)) continue;
    if (AddCause(request, number)) ++more;
  }
  Cause& cause = causes_[number];
  cause.blocker.queue_ns += from.blocker.queue_ns;
  cause.blocker.off_ns += from.blocker.off_ns;
  cause.blocker.requests =
      std::max(cause.blocker.requests + more, from.blocker.requests);
  cause.seen_before = std::max(cause.seen_before, from.seen_before);
  for (const auto& [stack, part] : from.stacks) cause.stacks[stack] += part;
  causes_[pending] = {};
  free_causes_.push_back(pending);
}

bool BlameLedger::AddCause(uint32_t request, uint32_t cause) {
  std::vector<uint32_t>& known = requests_[request].causes;
  const auto at = std::lower_bound(known.begin(), known.end(), cause);
  if (at != known.end() && *at == cause) return false;
  known.insert(at, cause);
  return true;
}

bool BlameLedger::RemoveCause(uint32_t request, uint32_t cause) {
  std::vector<uint32_t>& known = requests_[request].causes;
  const auto at = std::lower_bound(known.begin(), known.end(), cause);
  if (at == known.end() || *at != cause) return false;
  known.erase(at);
  return true;
}

// Those that are over are dropped when they are most: constant amortised cost.
void BlameLedger::NoteWaiting(uint32_t request, std::vector<uint32_t>* waiting,
                              uint32_t cause) {
  if (waiting->size() == waiting->capacity() && waiting->size() >= 64) {
    std::erase_if(*waiting, [&](uint32_t other) {
      const std::vector<uint32_t>& known = requests_[other].causes;
      return !std::binary_search(known.begin(), known.end(), cause);
    });
    // A number of a request that is over may be another's by now.
    std::sort(waiting->begin(), waiting->end());
    waiting->erase(std::unique(waiting->begin(), waiting->end()),
                   waiting->end());
    waiting->reserve(2 * waiting->size());
  }
  waiting->push_back(request);
}

void BlameLedger::ReleaseClosed(uint64_t next) {
  for (const uint32_t owner : closed_) releases_.push_back({next, owner});
  closed_.clear();
  if (!releases_.empty()) next_release_ = releases_.front().next;
}

void BlameLedger::ForgetUpTo(uint64_t next) {
  while (!releases_.empty() && releases_.front().next <= next) {
    const uint32_t owner = releases_.front().owner;
    owners_[owner].has_pieces = false;
    Forget(owner);
    releases_.pop_front();
  }
  next_release_ = releases_.empty() ? UINT64_MAX : releases_.front().next;
}

void BlameLedger::Forget(uint32_t owner) {
  const Owner& held = owners_[owner];
  if (held.references > 0 || held.open || held.has_pieces) return;
  free_owners_.push_back(owner);
}

void BlameLedger::DropReference(uint32_t owner) {
  --owners_[owner].references;
  Forget(owner);
}

void BlameLedger::AddIdle(const Idle& idle, Blocker* blocker) {
  if (idle.ns <= 0) return;
  blocker->queue_ns += static_cast<double>(idle.ns);
  blocker->off_ns += static_cast<double>(idle.off_ns);
  ++blocker->requests;
}

void BlameLedger::AddRequest(std::span<const Wait> waits, const Idle& loop,
                             const Idle& wake, LoopTimeline* timeline) {
  AddIdle(loop, &loop_);
  AddIdle(wake, &wake_);
  if (waits.empty()) return;
  uint32_t request = static_cast<uint32_t>(requests_.size());
  if (!free_requests_.empty()) {
    request = free_requests_.back();
    free_requests_.pop_back();
  } else {
    requests_.emplace_back();
  }
  requests_[request].waits_left = static_cast<uint32_t>(waits.size());
  for (const Wait& wait : waits) {
    uint32_t slot = static_cast<uint32_t>(waits_.size());
    if (!free_waits_.empty()) {
      slot = free_waits_.back();
      free_waits_.pop_back();
    } else {
      waits_.emplace_back();
    }
    Piece& first = timeline->At(wait.first);
    Piece& last = timeline->At(wait.end - 1);
    waits_[slot] = {wait.from_ns, wait.first,           wait.end - 1,
                    request,      first.first_starting, last.first_ending};
    first.first_starting = slot;
    last.first_ending = slot;
  }
}

void BlameLedger::Begin(const Piece& piece, VmTimes vm, Charge* charge) {
  for (uint32_t slot = piece.first_starting; slot != kNoWait;
       slot = waits_[slot].next_starting) {
    const HungWait& wait = waits_[slot];
    const int64_t ns = piece.end_ns - std::max(wait.from_ns, piece.begin_ns);
    const VmTimes part = vm.Share(ns, piece.end_ns - piece.begin_ns);
    charge->ns += static_cast<double>(ns);
    charge->jit_ns += static_cast<double>(part.jit_ns);
    charge->ic_ns += static_cast<double>(part.ic_ns);
    active_list_.push_back({wait.first, wait.last, wait.request});
    ++active_;
  }
}

void BlameLedger::End(const Piece& piece) {
  for (uint32_t slot = piece.first_ending; slot != kNoWait;) {
    const HungWait& wait = waits_[slot];
    --active_;
    TailRequest& request = requests_[wait.request];
    if (--request.waits_left == 0) {
      request.causes.clear();
      free_requests_.push_back(wait.request);
    }
    free_waits_.push_back(slot);
    slot = wait.next_ending;
  }
}

void BlameLedger::Retire(uint64_t number, const Piece& piece, VmTimes vm) {
  if (active_ > 0 || piece.first_starting != kNoWait) {
    const auto active = static_cast<double>(active_);
    Charge charge{active * static_cast<double>(piece.end_ns - piece.begin_ns),
                  active * static_cast<double>(vm.jit_ns),
                  active * static_cast<double>(vm.ic_ns)};
    Begin(piece, vm, &charge);
    Blame(number, CauseOf(piece), charge.ns - charge.jit_ns - charge.ic_ns,
          piece.off);
    if (vm.jit_ns > 0) {
      Blame(number, CauseOf(Blocker::Kind::kJit), charge.jit_ns);
    }
    if (vm.ic_ns > 0) {
      Blame(number, CauseOf(Blocker::Kind::kIc), charge.ic_ns);
    }
    End(piece);
    if (active_list_.size() > 64 && active_list_.size() > 2 * active_) {
      DropEnded(number);
    }
  }
  if (number + 1 >= next_release_) ForgetUpTo(number + 1);
}

void BlameLedger::Blame(uint64_t number, uint32_t cause, double ns, bool off) {
  causes_[cause].blocker.queue_ns += ns;
  if (off) causes_[cause].blocker.off_ns += ns;
  CountRequests(number, cause);
}

// A wait that began before the cause's last piece, and still goes on, was
// counted there.
void BlameLedger::CountRequests(uint64_t number, uint32_t cause) {
  const uint64_t seen_before = causes_[cause].seen_before;
  for (size_t i = active_list_.size(); i > 0; --i) {
    const ActiveWait& wait = active_list_[i - 1];
    if (wait.first < seen_before) break;
    if (wait.last < number) continue;  // has ended
    if (!AddCause(wait.request, cause)) continue;
    Cause& counted = causes_[cause];
    ++counted.blocker.requests;
    if (counted.pending) NoteWaiting(wait.request, &counted.waiting, cause);
  }
  causes_[cause].seen_before = number + 1;
}

void BlameLedger::DropEnded(uint64_t number) {
  std::erase_if(active_list_, [number](const ActiveWait& wait) {
    return wait.last <= number;
  });
}

uint32_t BlameLedger::CauseOf(const Piece& piece) {
  if (piece.is_gc) {
    const Blocker blocker{Blocker::Kind::kGc, 0, piece.type, 0, 0};
    return FindCause(KeyOf(blocker.kind, 0, piece.type), blocker);
  }
  if (piece.owner == 0) {
    const Blocker blocker{Blocker::Kind::kEvent, 0, piece.type, 0, 0};
    return FindCause(KeyOf(blocker.kind, 0, piece.type), blocker);
  }
  Owner& owner = owners_[piece.owner];
  const Blocker blocker{Blocker::Kind::kRequest, owner.route, piece.type, 0, 0};
  if (!owner.open) {
    return FindCause(KeyOf(blocker.kind, owner.route, piece.type), blocker);
  }
  const uint32_t cause = FindCause(
      kPendingKey | KeyOf(blocker.kind, piece.owner, piece.type), blocker);
  if (!causes_[cause].pending) {
    causes_[cause].pending = true;
    owner.has_pending = true;
    pending_[piece.owner].push_back(cause);
  }
  return cause;
}

uint32_t BlameLedger::CauseOf(Blocker::Kind kind) {
  return FindCause(KeyOf(kind, 0, 0), {kind, 0, 0, 0, 0});
}

uint32_t BlameLedger::FindCause(uint64_t key, const Blocker& blocker) {
  const auto [it, added] = cause_numbers_.try_emplace(key, 0);
  if (!added) return it->second;
  uint32_t& number = it->second;
  if (!free_causes_.empty()) {
    number = free_causes_.back();
    free_causes_.pop_back();
  } else {
    number = static_cast<uint32_t>(causes_.size());
    causes_.emplace_back();
  }
  causes_[number].blocker = blocker;
  return number;
}

std::vector<Blocker> BlameLedger::Blockers() const {
  std::vector<Blocker> blockers;
  for (const Cause& cause : causes_) {
    if (cause.blocker.queue_ns > 0) blockers.push_back(cause.blocker);
  }
  for (const Blocker& idle : {loop_, wake_}) {
    if (idle.queue_ns > 0) blockers.push_back(idle);
  }
  std::stable_sort(blockers.begin(), blockers.end(),
                   [](const Blocker& a, const Blocker& b) {
                     return a.queue_ns > b.queue_ns;
                   });
  return blockers;
}

}  // namespace edgewise
