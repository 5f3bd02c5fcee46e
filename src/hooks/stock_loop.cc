// The part of the provider that follows the loop's phases, and says what they
// tell of an entry into JavaScript that no system call has announced.

#include <sched.h>
#include <sys/epoll.h>

#include <cstddef>
#include <cstdint>

#include "hooks/stock_provider.h"
#include "platform/clock.h"
#include "platform/poll_wait.h"

namespace edgewise {
namespace {

// libuv runs the check handles that were started last first, and puts each that
// has run behind the others: what stands last stays there, unless it was put
// there while they run.
void RunLast(uv_loop_t* loop, uv_check_t* check) {
  // struct uv__queue is {next, prev}; older headers spell it void*[2].
  struct Node {
    Node* next;
    Node* previous;
  };
  auto* const node = reinterpret_cast<Node*>(&check->queue);
  auto* const head = reinterpret_cast<Node*>(&loop->check_handles);
  if (head->previous == node) return;
  node->previous->next = node->next;
  node->next->previous = node->previous;
  node->next = head;
  node->previous = head->previous;
  head->previous->next = node;
  head->previous = node;
}

// Whether `watcher` is that of a uv_poll_t, whose file its owner reads.
bool IsPolled(const uv_loop_t* loop, const uv__io_t* watcher) {
  const auto* const handle = reinterpret_cast<const uv_handle_t*>(
      reinterpret_cast<const char*>(watcher) - offsetof(uv_poll_t, io_watcher));
  // In other handles the watcher stands elsewhere.
  return handle->loop == loop && handle->type == UV_POLL;
}
}  // namespace

// Their order is the loop's. One that can be written to has had something
// waiting, so only the loop writes to it; of what is no stream it is not seen.
bool StockProvider::FilesMayWrite(int since_fd) {
  int i = 0;
  while (i < ready_count_ && ready_[i].data.fd != since_fd) ++i;
  if (i == ready_count_) i = 0;
  for (; i < ready_count_; ++i) {
    if ((ready_[i].events & EPOLLOUT) == 0) continue;
    const Connection* const connection = connections_.Of(ready_[i].data.fd);
    if (connection == nullptr ||
        connection->written_bytes != connection->polled_bytes) {
      return true;
    }
  }
  return false;
}

void StockProvider::NoteWritable() {
  for (int i = 0; i < ready_count_; ++i) {
    if ((ready_[i].events & EPOLLOUT) == 0) continue;
    Connection* const connection = connections_.Of(ready_[i].data.fd);
    if (connection == nullptr) continue;
    connection->polled_bytes = connection->written_bytes;
  }
}

int StockProvider::PolledFd() const {
  int polled = kNoFd;
  for (int i = 0; i < ready_count_; ++i) {
    const int fd = ready_[i].data.fd;
    if (!IsLoops(fd) || !IsPolled(loop_, loop_->watchers[fd])) continue;
    if (tracker_->names().Knows(fd)) continue;  // It calls back later.
    if (polled != kNoFd) return kNoFd;
    polled = fd;
  }
  return polled;
}

void StockProvider::OnPrepare(uv_prepare_t* handle) {
  auto* const self = static_cast<StockProvider*>(handle->data);
  RunLast(self->loop_, &self->check_end_);
  if (self->tracker_->names().waiting()) {
    const int64_t due_ns = self->timers_.OthersDueNs();
    if (due_ns >= 0) self->tracker_->NativeTimerRan(due_ns);
  }
  if (self->interposition_.ok()) {
    self->descriptors_.Discover(self->watcher_.get());
  } else {
    self->tracker_->PollBegin(Ticks());
  }
}

void StockProvider::OnCheck(uv_check_t* handle) {
  auto* const self = static_cast<StockProvider*>(handle->data);
  self->tracker_->CheckBegin();
  self->timers_.NoteNodes();
  self->ready_count_ = 0;
}

void StockProvider::OnCheckEnd(uv_check_t* handle) {
  auto* const self = static_cast<StockProvider*>(handle->data);
  self->tracker_->CheckEnd(self->loop_->closing_handles != nullptr);
  self->timers_.NoteOthers();
}

void StockProvider::BeforePoll(int epoll_fd) {
  if (epoll_fd != loop_->backend_fd) return;
  poll_began_ = Ticks();
  tracker_->PollBegin(poll_began_);
  if (watcher_ != nullptr) watcher_->LoopWaits();
}

void StockProvider::AfterPoll(int epoll_fd, bool may_wait,
                              const epoll_event* ready, int count) {
  if (epoll_fd != loop_->backend_fd) return;
  ready_ = ready;
  ready_count_ = count;
  rings_.Look(ready, count);
  NoteWritable();
  const uint64_t now = Ticks();
  const bool waited =
      may_wait && TickNs(now - poll_began_) > LongestLookNs(count);
  const int cpu = sched_getcpu();
  recorder_->LoopRunsOn(cpu);
  const bool slept = tracker_->PollEnd(waited, now);
  if (watcher_ != nullptr) watcher_->LoopGoesOn(now, slept, cpu);
}
}  // namespace edgewise
