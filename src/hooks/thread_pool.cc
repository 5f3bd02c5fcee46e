#include "hooks/thread_pool.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "hooks/node_job.h"
#include "platform/clock.h"
#include "platform/own_memory.h"

namespace edgewise {
namespace {

// One observer a thread, as there is one loop a thread.
thread_local ThreadPoolObserver* current_observer = nullptr;

// struct uv__queue is {next, prev}; older headers spell it void*[2].
void* QueueNext(const void* node) { return *static_cast<void* const*>(node); }

uv__work* WorkOf(void* node) {
  return reinterpret_cast<uv__work*>(static_cast<char*>(node) -
                                     offsetof(uv__work, wq));
}

template <typename Request>
Request* RequestAround(uv__work* work) {
  return reinterpret_cast<Request*>(reinterpret_cast<char*>(work) -
                                    offsetof(Request, work_req));
}

// The type word of a `Request` that may lie around `work`, read through the
// kernel: a wrong guess must not fault.
template <typename Request>
bool Is(uv__work* work, uv_req_type type, const uv_loop_t* loop) {
  Request* const guess = RequestAround<Request>(work);
  uv_req_type found_type;
  uv_loop_t* found_loop;
  return ReadOwnMemory(&guess->type, &found_type, sizeof(found_type)) &&
         found_type == type &&
         ReadOwnMemory(&guess->loop, &found_loop, sizeof(found_loop)) &&
         found_loop == loop;
}

}  // namespace

EventType FsEventType(uv_fs_type type) {
  switch (type) {
    case UV_FS_READ:
      return EventType::kFsRead;
    case UV_FS_SCANDIR:
    case UV_FS_OPENDIR:
    case UV_FS_READDIR:
      return EventType::kFsReaddir;
    case UV_FS_STAT:
    case UV_FS_LSTAT:
    case UV_FS_FSTAT:
    case UV_FS_STATFS:
    case UV_FS_ACCESS:
      return EventType::kFsStat;
    case UV_FS_OPEN:
      return EventType::kFsOpen;
    case UV_FS_WRITE:
      return EventType::kFsWrite;
    case UV_FS_CLOSE:
      return EventType::kFsClose;
    default:
      return EventType::kFsOther;
  }
}

ThreadPoolObserver::ThreadPoolObserver(uv_loop_t* loop)
    : loop_(loop), original_(loop->wq_async.async_cb), jobs_(loop) {
  seen_.reserve(1024);
  current_observer = this;
}

ThreadPoolObserver::~ThreadPoolObserver() {
  Disable();
  current_observer = nullptr;
}

void ThreadPoolObserver::Enable(EventTracker* tracker, WorkNames* names,
                                bool stamped) {
  tracker_ = tracker;
  names_ = names;
  stamped_ = stamped;
  // The helper of a recording before this may have looked after Disable().
  uv_mutex_lock(&loop_->wq_mutex);
  seen_.clear();
  uv_mutex_unlock(&loop_->wq_mutex);
  loop_->wq_async.async_cb = &OnAsync;
  jobs_.Enable();
}

void ThreadPoolObserver::Disable() {
  tracker_ = nullptr;
  names_ = nullptr;
  jobs_.Disable();
  loop_->wq_async.async_cb = original_;
}

bool ThreadPoolObserver::Look(uint64_t ticks) {
  uv_mutex_lock(&loop_->wq_mutex);
  const void* const head = &loop_->wq;
  size_t finished = 0;
  for (void* node = QueueNext(head); node != head; node = QueueNext(node)) {
    if (++finished > seen_.size()) seen_.push_back(ticks);
  }
  uv_mutex_unlock(&loop_->wq_mutex);
  return finished > 0;
}

void ThreadPoolObserver::OnAsync(uv_async_t* async) {
  ThreadPoolObserver* const self = current_observer;
  self->WrapQueue();
  self->original_(async);
}

void ThreadPoolObserver::WrapQueue() {
  uv_mutex_lock(&loop_->wq_mutex);
  const void* const head = &loop_->wq;
  size_t position = 0;
  for (void* node = QueueNext(head); node != head; node = QueueNext(node)) {
    Wrap(WorkOf(node), position < seen_.size() ? seen_[position] : 0);
    ++position;
  }
  seen_.clear();
  jobs_.Clear();
  uv_mutex_unlock(&loop_->wq_mutex);
}

// Under the lock.
void ThreadPoolObserver::Wrap(uv__work* work, uint64_t ready) {
  const PoolJob job = jobs_.Take(&work->wq);
  uint64_t stamp = stamped_ ? StampOf(work) : 0;
  if (stamp == 0) stamp = job.done;
  pending_.push_back(
      {work, work->done, stamp != 0 ? stamp : ready, stamp != 0, job.taken});
  work->done = &OnDone;
}

// A request may join the queue after WrapQueue() and before libuv takes it.
// libuv has removed `done` from the queue that it took, but not forgotten whom
// it stood before: that one, or the queue's head, which is on libuv's stack.
void ThreadPoolObserver::WrapLatecomer(const uv__work* done) {
  constexpr uintptr_t kMaxStack = 1 << 16;
  void* const next = QueueNext(&done->wq);
  const auto above = reinterpret_cast<uintptr_t>(next) -
                     reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (above < kMaxStack) return;
  uv_mutex_lock(&loop_->wq_mutex);
  Wrap(WorkOf(next), Ticks());
  uv_mutex_unlock(&loop_->wq_mutex);
}

// The first, unless a callback turns the loop itself: then what finishes
// meanwhile comes before what libuv has still to call back for.
ThreadPoolObserver::Completion ThreadPoolObserver::Take(const uv__work* work) {
  const auto found = std::find_if(
      pending_.begin(), pending_.end(),
      [work](const Completion& completion) { return completion.work == work; });
  const Completion completion = *found;
  pending_.erase(found);
  return completion;
}

void ThreadPoolObserver::OnDone(uv__work* work, int status) {
  ThreadPoolObserver* const self = current_observer;
  const Completion completion = self->Take(work);
  if (self->pending_.empty()) self->WrapLatecomer(work);
  work->done = completion.done;
  if (self->tracker_ != nullptr) {
    const Subject subject = self->SubjectOf(work);
    self->tracker_->WorkBegin(subject.type, completion.ready,
                              completion.stamped,
                              Work{.taken = completion.taken,
                                   .name = subject.name,
                                   .threads = PoolJobs::Threads()});
  }
  completion.done(work, status);
  if (self->tracker_ != nullptr) self->tracker_->WorkEnd();
}

// Of a request that has its own `done` again.
ThreadPoolObserver::Subject ThreadPoolObserver::SubjectOf(uv__work* work) {
  switch (RequestOf(work)) {
    case UV_FS: {
      const uv_fs_t* const request = RequestAround<uv_fs_t>(work);
      return {FsEventType(request->fs_type), names_->NameOf(request)};
    }
    case UV_GETADDRINFO:
      names_->Learn(RequestAround<uv_getaddrinfo_t>(work));
      return {EventType::kDns, 0};
    case UV_GETNAMEINFO:
      return {EventType::kDns, 0};
    case UV_WORK: {
      const NodeJob job = NodeJob::Of(RequestAround<uv_work_t>(work));
      return {job.type(), names_->NameOfJob(job)};
    }
    default:
      return {};
  }
}

// What the worker thread has left in the request: uv_hrtime() when it finished.
uint64_t ThreadPoolObserver::StampOf(uv__work* work) {
  const void* word = nullptr;
  switch (RequestOf(work)) {
    case UV_WORK:
      word = RequestAround<uv_work_t>(work)->reserved[0];
      break;
    case UV_FS:
      word = RequestAround<uv_fs_t>(work)->reserved[0];
      break;
    case UV_GETADDRINFO:
      word = RequestAround<uv_getaddrinfo_t>(work)->reserved[0];
      break;
    case UV_GETNAMEINFO:
      word = RequestAround<uv_getnameinfo_t>(work)->reserved[0];
      break;
    case UV_RANDOM:
      word = RequestAround<uv_random_t>(work)->reserved[0];
      break;
    default:
      return 0;
  }
  const int64_t age_ns =
      MonotonicNs() - static_cast<int64_t>(reinterpret_cast<uintptr_t>(word));
  // Nothing waits for minutes: cancelled requests hold no time.
  constexpr int64_t kOldestNs = 600'000'000'000;
  if (age_ns < 0 || age_ns > kOldestNs) return 0;
  return Ticks() - NsToTicks(static_cast<double>(age_ns));
}

uv_req_type ThreadPoolObserver::RequestOf(uv__work* work) {
  for (const KnownDone& known : known_) {
    if (known.done == work->done) return known.request;
  }
  uv_req_type request = UV_UNKNOWN_REQ;
  if (Is<uv_work_t>(work, UV_WORK, loop_)) {
    request = UV_WORK;
  } else if (Is<uv_fs_t>(work, UV_FS, loop_)) {
    request = UV_FS;
  } else if (Is<uv_getaddrinfo_t>(work, UV_GETADDRINFO, loop_)) {
    request = UV_GETADDRINFO;
  } else if (Is<uv_getnameinfo_t>(work, UV_GETNAMEINFO, loop_)) {
    request = UV_GETNAMEINFO;
  } else if (Is<uv_random_t>(work, UV_RANDOM, loop_)) {
    request = UV_RANDOM;
  }
  known_.push_back({work->done, request});
  return request;
}

}  // namespace edgewise
