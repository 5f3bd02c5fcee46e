#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/graph/loop_timeline.h"

namespace edgewise {

// One cause of the tail's queueing.
struct Blocker {
  // kJit, kIc: V8's work inside events, which is no part of theirs then.
  enum class Kind { kRequest, kEvent, kGc, kJit, kIc, kLoop, kWake };
  Kind kind;
  uint32_t route;  // kRequest
  uint8_t type;    // kRequest, kEvent: EventType; kGc: GcType
  double queue_ns;
  uint64_t requests;  // distinct tail requests that it delayed
  double off_ns = 0;  // of queue_ns: the thread did not run
};

// For how long stacks ran, by StackTree's nodes.
using StackSums = absl::flat_hash_map<uint32_t, StackWeights>;

// A stretch of time for which a tail request was ready and did not run: from
// `from_ns`, which lies in or before piece `first`, up to piece `end`.
struct Wait {
  int64_t from_ns;
  uint64_t first;
  uint64_t end;
};

// Charges what occupied the loop with the waiting of the tail's requests.
//
// A wait may cover thousands of events, and thousands of waits may cover the
// same event, so neither is walked for the other. Waits are hung on the pieces
// where they begin and end; when a piece leaves the timeline's window, all
// waits over it are known, and one multiplication charges it. Distinct requests
// are counted by the waits that began since the same cause was last seen. Total
// cost: linear in pieces, waits, and pairs of request and cause.
//
// Who owns a piece is known at once, its owner's route only when the owner
// ends; a piece that leaves the window before is charged to a cause of its own
// that is merged later. An owner is forgotten when its last piece has left.
class BlameLedger {
 public:
  static constexpr uint32_t kNoWait = UINT32_MAX;

  BlameLedger();

  // Owners: one for each request.
  uint32_t NewOwner();
  void CloseOwner(uint32_t owner, uint32_t route);
  // The owners closed since the last call have no piece from `next` on.
  void ReleaseClosed(uint64_t next);
  // Keeps an owner from being forgotten.
  void AddReference(uint32_t owner) { ++owners_[owner].references; }
  void DropReference(uint32_t owner);
  bool IsOpen(uint32_t owner) const { return owners_[owner].open; }
  uint32_t RouteOf(uint32_t owner) const { return owners_[owner].route; }

  // Waiting during which nothing occupied the loop; of it, the thread did not
  // run.
  struct Idle {
    int64_t ns;
    int64_t off_ns;
  };
  // The waits of one tail request, none empty, all inside `timeline`. Idle
  // waiting: the loop ran (`loop`), or had slept and was not yet awake
  // (`wake`).
  void AddRequest(std::span<const Wait> waits, const Idle& loop,
                  const Idle& wake, LoopTimeline* timeline);

  // A piece leaves the window. Called in order of `number`. `vm`: V8's times in
  // the piece, no more than its length.
  void Retire(uint64_t number, const Piece& piece, VmTimes vm);

  // All blockers, largest first.
  std::vector<Blocker> Blockers() const;

  // `stack` was sampled in a piece that is about to leave the window, in the
  // wait or the execution of requests.
  void AddStack(const Piece& piece, uint32_t stack, const StackWeights& part) {
    causes_[CauseOf(piece)].stacks[stack] += part;
  }
  // Calls sink(Blocker, StackSums) for each cause that stacks were sampled in.
  template <typename Sink>
  void ForEachStacks(Sink&& sink) const {
    for (const Cause& cause : causes_) {
      if (!cause.stacks.empty()) sink(cause.blocker, cause.stacks);
    }
  }

 private:
  struct Owner {
    uint32_t route = 0;
    uint32_t references = 0;
    bool open = false;
    bool has_pending = false;
    bool has_pieces = false;  // perhaps; in the window or to come
  };
  struct Release {
    uint64_t next;  // piece
    uint32_t owner;
  };
  struct HungWait {
    int64_t from_ns;
    uint64_t first;
    uint64_t last;  // inclusive
    uint32_t request;
    uint32_t next_starting;
    uint32_t next_ending;
  };
  struct ActiveWait {
    uint64_t first;
    uint64_t last;
    uint32_t request;
  };
  // Waiting behind one piece, summed over waits.
  struct Charge {
    double ns;
    double jit_ns;  // of `ns`
    double ic_ns;
  };
  // A tail request some of whose waits have not been passed.
  struct TailRequest {
    uint32_t waits_left = 0;
    std::vector<uint32_t> causes;  // sorted: those that have delayed it
  };
  struct Cause {
    Blocker blocker;
    uint64_t seen_before = 0;  // number of its last piece, plus one
    StackSums stacks;
    bool pending = false;           // its route is not known yet
    std::vector<uint32_t> waiting;  // of a pending one: requests that it has
                                    // delayed; some are over
  };

  static void AddIdle(const Idle& idle, Blocker* blocker);
  void Forget(uint32_t owner);
  void ForgetUpTo(uint64_t next);
  void Merge(uint32_t pending, uint32_t owner, uint32_t route);
  // Among the causes of a tail request. False if it was, or was not, before.
  bool AddCause(uint32_t request, uint32_t cause);
  bool RemoveCause(uint32_t request, uint32_t cause);
  void NoteWaiting(uint32_t request, std::vector<uint32_t>* waiting,
                   uint32_t cause);
  uint32_t CauseOf(const Piece& piece);
  uint32_t CauseOf(Blocker::Kind kind);  // that has neither route nor type
  uint32_t FindCause(uint64_t key, const Blocker& blocker);
  void CountRequests(uint64_t number, uint32_t cause);
  void Blame(uint64_t number, uint32_t cause, double ns, bool off = false);
  void Begin(const Piece& piece, VmTimes vm, Charge* charge);
  void End(const Piece& piece);
  void DropEnded(uint64_t number);

  std::vector<Owner> owners_;
  std::vector<uint32_t> free_owners_;
  std::vector<uint32_t> closed_;
  std::deque<Release> releases_;        // in order of `next`
  uint64_t next_release_ = UINT64_MAX;  // of the first of them
  absl::flat_hash_map<uint32_t, std::vector<uint32_t>> pending_;  // by owner

  std::vector<HungWait> waits_;
  std::vector<uint32_t> free_waits_;
  std::vector<TailRequest> requests_;
  std::vector<uint32_t> free_requests_;
  std::vector<ActiveWait> active_list_;  // in order of `first`; some have ended
  uint64_t active_ = 0;                  // those that cover the whole piece

  std::vector<Cause> causes_;
  std::vector<uint32_t> free_causes_;
  absl::flat_hash_map<uint64_t, uint32_t> cause_numbers_;
  // Nothing occupied the loop.
  Blocker loop_{Blocker::Kind::kLoop, 0, 0, 0, 0};
  Blocker wake_{Blocker::Kind::kWake, 0, 0, 0, 0};
};

}  // namespace edgewise
