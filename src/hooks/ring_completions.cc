#include "hooks/ring_completions.h"

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hooks/thread_pool.h"

namespace edgewise {
namespace {

// One observer a thread, as there is one loop a thread.
thread_local RingCompletions* current = nullptr;

bool LibuvUsesRings() {
  const char* const value = std::getenv("UV_USE_IO_URING");
  return value != nullptr && std::atoi(value) != 0;
}

bool IsRing(int fd) {
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  char name[64];
  const ssize_t length = readlink(link.c_str(), name, sizeof(name));
  return length > 0 && std::string_view(name, static_cast<size_t>(length)) ==
                           "anon_inode:[io_uring]";
}

// Where the kernel keeps its words in the memory of a ring: it says so to who
// makes one.
const io_cqring_offsets* Offsets() {
  static const io_uring_params params = [] {
    io_uring_params asked{};
    const long fd = syscall(SYS_io_uring_setup, 1, &asked);
    if (fd < 0) return io_uring_params{};
    close(static_cast<int>(fd));
    return asked;
  }();
  return params.cq_off.cqes != 0 ? &params.cq_off : nullptr;
}

uint32_t WordAt(const std::byte* memory, uint32_t offset) {
  auto* const word = reinterpret_cast<uint32_t*>(
      const_cast<std::byte*>(memory + offset));  // Only read.
  // Acquire: the entries before the kernel's new tail.
  return std::atomic_ref<uint32_t>(*word).load(std::memory_order_acquire);
}

const std::byte* MapRing(int fd, size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, IORING_OFF_CQ_RING);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

void Unmap(const std::byte* memory, size_t bytes) {
  munmap(const_cast<std::byte*>(memory), bytes);
}

}  // namespace

RingCompletions::~RingCompletions() {
  Disable();
  if (current == this) current = nullptr;
}

void RingCompletions::Enable(EventTracker* tracker, WorkNames* names,
                             ReadyWatcher* watcher) {
  if (!LibuvUsesRings() || Offsets() == nullptr) return;
  current = this;
  tracker_ = tracker;
  names_ = names;
  watcher_ = watcher;
  wrapped_.reserve(256);
}

// What is wrapped calls back yet.
void RingCompletions::Disable() {
  tracker_ = nullptr;
  watcher_ = nullptr;
  for (const Ring& ring : rings_) {
    if (ring.memory != nullptr) Unmap(ring.memory, ring.bytes);
  }
  rings_.clear();
}

void RingCompletions::LookAt(const epoll_event* ready, int count) {
  for (int i = 0; i < count; ++i) {
    const int fd = ready[i].data.fd;
    const bool has_handle = static_cast<unsigned>(fd) < loop_->nwatchers &&
                            loop_->watchers[fd] != nullptr;
    if (fd < 0 || has_handle) continue;
    Ring* const ring = RingOf(fd);
    if (ring->memory == nullptr) continue;
    ReadyWatcher::Readiness seen;
    if (watcher_ != nullptr) seen = watcher_->ReadySince(fd);
    LookAt(ring, seen.sure() ? seen.since : 0);
    if (watcher_ != nullptr) watcher_->Consumed(fd, Ticks());
  }
}

// `ready`: when the first of them came; 0: not seen.
void RingCompletions::LookAt(Ring* ring, uint64_t ready) {
  const io_cqring_offsets& offsets = *Offsets();
  const uint32_t head = WordAt(ring->memory, offsets.head);
  const uint32_t tail = WordAt(ring->memory, offsets.tail);
  const uint32_t mask = WordAt(ring->memory, offsets.ring_mask);
  const auto* const completions =
      reinterpret_cast<const Completion*>(ring->memory + offsets.cqes);
  // Modulo 2^32, as the kernel counts.
  if (static_cast<int32_t>(ring->next - head) < 0) ring->next = head;
  for (; ring->next != tail; ++ring->next) {
    const Completion& completion = completions[ring->next & mask];
    auto* const request = reinterpret_cast<uv_fs_t*>(
        static_cast<uintptr_t>(completion.user_data));
    // What the kernel cannot do, the thread pool does.
    if (request == nullptr || completion.result == -EOPNOTSUPP) continue;
    if (request->type == UV_FS && request->loop == loop_) Wrap(request, ready);
    ready = 0;
  }
}

void RingCompletions::Wrap(uv_fs_t* request, uint64_t ready) {
  if (request->cb == nullptr || request->cb == &OnFile) return;
  wrapped_.push_back(
      {request, request->cb, FsEventType(request->fs_type), ready});
  request->cb = &OnFile;
}

void RingCompletions::OnFile(uv_fs_t* request) {
  RingCompletions* const self = current;
  const auto found = std::find_if(
      self->wrapped_.begin(), self->wrapped_.end(),
      [request](const Wrapped& one) { return one.request == request; });
  const Wrapped wrapped = *found;
  self->wrapped_.erase(found);
  request->cb = wrapped.callback;
  if (self->tracker_ != nullptr) {
    self->tracker_->WorkBegin(
        wrapped.type, wrapped.ready, /*stamped=*/false,
        Work{.name = self->names_->NameOf(request), .place = WorkPlace::kRing});
  }
  wrapped.callback(request);
  if (self->tracker_ != nullptr) self->tracker_->WorkEnd();
}

RingCompletions::Ring* RingCompletions::RingOf(int fd) {
  for (Ring& ring : rings_) {
    if (ring.fd == fd) return &ring;
  }
  Ring ring;
  ring.fd = fd;
  if (IsRing(fd) && Map(fd, &ring)) {
    ring.next = WordAt(ring.memory, Offsets()->head);
    if (watcher_ != nullptr) watcher_->Watch(fd);
  }
  rings_.push_back(ring);
  return &rings_.back();
}

bool RingCompletions::Map(int fd, Ring* ring) {
  const io_cqring_offsets& offsets = *Offsets();
  const std::byte* const head = MapRing(fd, offsets.cqes);
  if (head == nullptr) return false;
  const uint32_t entries = WordAt(head, offsets.ring_entries);
  Unmap(head, offsets.cqes);
  ring->bytes = offsets.cqes + size_t{entries} * sizeof(Completion);
  ring->memory = MapRing(fd, ring->bytes);
  return ring->memory != nullptr;
}

}  // namespace edgewise
