#include "hooks/loop_timers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace edgewise {
namespace {

constexpr unsigned kQueuesDueSince = 0x013000;  // libuv 1.48.0
constexpr int64_t kNsPerMs = 1'000'000;

// What libuv keeps before a timer's time: a node of its heap, or of its queue
// of those that are due. Older headers spell it void*[3].
struct HeapNode {
  const HeapNode* left;
  const HeapNode* right;
  const HeapNode* parent;
};
struct QueueNode {
  const QueueNode* next;
  const QueueNode* previous;
};
constexpr size_t kNodeOffset = offsetof(uv_timer_t, timeout) - sizeof(HeapNode);

const uv_timer_t* TimerOf(const HeapNode* node) {
  return reinterpret_cast<const uv_timer_t*>(
      reinterpret_cast<const char*>(node) - kNodeOffset);
}

bool IsActive(const uv_timer_t* timer) {
  return uv_is_active(reinterpret_cast<const uv_handle_t*>(timer)) != 0;
}

// Node's first timer handle is the one that all JavaScript timers share.
const uv_timer_t* FirstHandle(uv_loop_t* loop) {
  const uv_timer_t* found = nullptr;
  uv_walk(
      loop,
      [](uv_handle_t* handle, void* result) {
        auto** timer = static_cast<const uv_timer_t**>(result);
        if (*timer == nullptr && handle->type == UV_TIMER) {
          *timer = reinterpret_cast<const uv_timer_t*>(handle);
        }
      },
      &found);
  return found;
}
}  // namespace

LoopTimers::LoopTimers(uv_loop_t* loop)
    : loop_(loop),
      queues_due_(uv_version() >= kQueuesDueSince),
      nodes_(FirstHandle(loop)) {}

void LoopTimers::NoteNodes() {
  if (nodes_ == nullptr) return;
  nodes_was_active_ = IsActive(nodes_);
  nodes_was_due_ms_ = nodes_->timeout;
}

void LoopTimers::NoteOthers() {
  other_count_ = told_ = 0;
  Collect(loop_->timer_heap.min);
}

// The first few by time; what is below a timer in the heap is due after it.
void LoopTimers::Collect(const void* heap_node) {
  if (heap_node == nullptr) return;
  const auto* const node = static_cast<const HeapNode*>(heap_node);
  const uv_timer_t* const handle = TimerOf(node);
  if (handle != nodes_) {
    const Timer timer = {handle, handle->timeout, handle->start_id};
    const auto before = [](const Timer& a, const Timer& b) {
      return a.due_ms != b.due_ms ? a.due_ms < b.due_ms : a.order < b.order;
    };
    if (other_count_ == kMostOthers) {
      if (!before(timer, others_[kMostOthers - 1])) return;
      --other_count_;
    }
    Timer* const end = others_ + other_count_;
    Timer* const at = std::upper_bound(others_, end, timer, before);
    std::move_backward(at, end, end + 1);
    *at = timer;
    ++other_count_;
  }
  Collect(node->left);
  Collect(node->right);
}

bool LoopTimers::IsQueued(const uv_timer_t* timer) const {
  const auto* const node = reinterpret_cast<const QueueNode*>(
      reinterpret_cast<const char*>(timer) + kNodeOffset);
  return queues_due_ && node->next != node;
}

bool LoopTimers::Waits(const Timer& timer) const {
  return IsActive(timer.handle) ? timer.handle->start_id == timer.order
                                : IsQueued(timer.handle);
}

// JavaScript never stops Node's timer: not active now, but so at the check
// phase or set since, it was due.
int64_t LoopTimers::NodesDueNs() {
  if (nodes_ == nullptr || IsActive(nodes_)) return -1;
  const bool was_set =
      nodes_was_active_ || nodes_->timeout != nodes_was_due_ms_;
  if (!was_set || IsQueued(nodes_)) return -1;
  NoteNodes();
  return static_cast<int64_t>(nodes_->timeout) * kNsPerMs;
}

int LoopTimers::Begun() const {
  int begun = 0;
  while (begun < other_count_ && others_[begun].due_ms <= loop_->time &&
         !Waits(others_[begun])) {
    ++begun;
  }
  return begun;
}

int64_t LoopTimers::OthersDueNs() {
  told_ = Begun();
  return told_ == 0
             ? -1
             : static_cast<int64_t>(others_[told_ - 1].due_ms) * kNsPerMs;
}
}  // namespace edgewise
