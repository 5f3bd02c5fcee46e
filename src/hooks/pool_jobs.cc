#include "hooks/pool_jobs.h"

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "hooks/import_table.h"
#include "platform/clock.h"

// glibc's; pthread_atfork() is a call of it that each object has of its own.
extern "C" int __register_atfork(void (*prepare)(), void (*parent)(),
                                 void (*child)(), void* object)
    __attribute__((weak));  // Not every C library has it.

namespace edgewise {
namespace {

// The loops that are recorded, by the address of their wq_mutex: open
// addressing, so that any other mutex costs a load and a comparison. Written
// under `pool_table_mutex`; a value is read under its loop's wq_mutex only,
// which its removal takes too.
constexpr size_t kLoops = 256;
struct LoopSlot {
  // Release and acquire: `jobs` is there when the key is.
  std::atomic<const void*> mutex{nullptr};
  std::atomic<PoolJobs*> jobs{nullptr};
};
LoopSlot loops[kLoops];
const void* const kGone = &loops;  // was one; whoever searches goes on

// Set where the pool begins, or by the first of its threads that finishes a
// request; relaxed: an address, which nothing is read through.
std::atomic<const void*> pool_mutex{nullptr};

// How many threads have waited, or worked, with a mutex. Node has a handful.
struct Waiters {
  std::atomic<const void*> mutex{nullptr};
  std::atomic<uint32_t> threads{0};
};
Waiters waiters[64];

// Of each time that the calls are watched: what a thread remembers of an
// earlier one is not true any more. Relaxed: only compared.
std::atomic<uint32_t> epoch{0};

struct PoolThread {
  const void* waited = nullptr;  // with this mutex
  const void* locked = nullptr;  // a loop's wq_mutex
  const void* last = nullptr;    // of that loop's queue, when it was locked
  uint64_t taken = 0;
  uint64_t done = 0;
  uint32_t epoch = 0;
  bool posted = false;       // the next mutex is the pool's
  bool begins_pool = false;  // so is the next one that is made
};
// Initial-exec: one load for each mutex that Node locks.
thread_local PoolThread self __attribute__((tls_model("initial-exec")));

size_t FirstSlot(const void* mutex) {
  const auto address = reinterpret_cast<uintptr_t>(mutex);
  return (address >> 4 ^ address >> 12) % kLoops;
}

LoopSlot* SlotOf(const void* mutex) {
  size_t at = FirstSlot(mutex);
  for (size_t i = 0; i < kLoops; ++i, at = (at + 1) % kLoops) {
    const void* const found = loops[at].mutex.load(std::memory_order_acquire);
    if (found == mutex) return &loops[at];
    if (found == nullptr) return nullptr;
  }
  return nullptr;
}

void CountThread(const void* mutex) {
  if (self.waited == mutex) return;
  self.waited = mutex;
  for (Waiters& one : waiters) {
    const void* found = one.mutex.load(std::memory_order_relaxed);
    if (found == nullptr && one.mutex.compare_exchange_strong(
                                found, mutex, std::memory_order_relaxed)) {
      found = mutex;
    }
    if (found != mutex) continue;
    one.threads.fetch_add(1, std::memory_order_relaxed);
    return;
  }
}

void LearnPool(const void* mutex) {
  const void* const known =
      pool_mutex.exchange(mutex, std::memory_order_relaxed);
  if (known != nullptr && known != mutex) {
    epoch.fetch_add(1, std::memory_order_relaxed);
  }
  CountThread(mutex);
}

[[gnu::noinline]] int WatchedLock(pthread_mutex_t* mutex, bool of_loop) {
  if (std::exchange(self.posted, false)) LearnPool(mutex);
  if (!of_loop) return pthread_mutex_lock(mutex);
  const uint64_t now = Ticks();
  const int error = pthread_mutex_lock(mutex);
  if (error != 0) return error;
  self.locked = nullptr;
  const LoopSlot* const slot = SlotOf(mutex);
  if (slot == nullptr) return 0;
  self.locked = mutex;
  self.last = slot->jobs.load(std::memory_order_relaxed)->Last();
  self.done = now;
  return 0;
}

// A loop's mutex is about to be unlocked. Who has put a request into its queue
// is a thread of the pool, or the loop's own, which cancels it.
[[gnu::noinline]] void LeaveLoop(const void* mutex) {
  if (std::exchange(self.locked, nullptr) != mutex) return;
  const LoopSlot* const slot = SlotOf(mutex);
  if (slot == nullptr) return;
  PoolJobs* const jobs = slot->jobs.load(std::memory_order_relaxed);
  const void* const last = jobs->Last();
  if (last == self.last || jobs->IsEmpty() || jobs->IsLoopThread()) return;
  const bool current = self.epoch == epoch.load(std::memory_order_relaxed);
  jobs->Post({last, current ? self.taken : 0, self.done});
  self.taken = 0;
  self.posted = true;
}

int MutexLock(pthread_mutex_t* mutex) {
  const bool of_loop = SlotOf(mutex) != nullptr;
  if (!of_loop && !self.posted) [[likely]]
    return pthread_mutex_lock(mutex);
  return WatchedLock(mutex, of_loop);
}

int MutexUnlock(pthread_mutex_t* mutex) {
  const void* const known = pool_mutex.load(std::memory_order_relaxed);
  if (mutex == (known != nullptr ? known : self.waited)) [[unlikely]] {
    self.taken = Ticks();
    self.epoch = epoch.load(std::memory_order_relaxed);
  } else if (SlotOf(mutex) != nullptr) [[unlikely]] {
    LeaveLoop(mutex);
  }
  return pthread_mutex_unlock(mutex);
}

int CondWait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  const void* const known = pool_mutex.load(std::memory_order_relaxed);
  if (known == nullptr || known == mutex) CountThread(mutex);
  return pthread_cond_wait(condition, mutex);
}

// What is to be done after fork() is told by libuv when it begins the pool, and
// it makes the pool's mutex next.
int RegisterAtFork(void (*prepare)(), void (*parent)(), void (*child)(),
                   void* object) {
  self.begins_pool =
      prepare == nullptr && parent == nullptr && child != nullptr;
  return __register_atfork(prepare, parent, child, object);
}

int MutexInit(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  if (std::exchange(self.begins_pool, false)) {
    pool_mutex.store(mutex, std::memory_order_relaxed);
  }
  return pthread_mutex_init(mutex, attributes);
}

const Replacement kPoolReplacements[] = {
    {"pthread_mutex_lock", reinterpret_cast<void*>(&MutexLock)},
    {"pthread_mutex_unlock", reinterpret_cast<void*>(&MutexUnlock)},
    {"pthread_cond_wait", reinterpret_cast<void*>(&CondWait)},
    // Without these the first request of a pool may be without its begin.
    {"pthread_mutex_init", reinterpret_cast<void*>(&MutexInit)},
    {"__register_atfork", reinterpret_cast<void*>(&RegisterAtFork)},
};
constexpr size_t kNeeded = 3;  // of them

std::mutex pool_table_mutex;  // guards the tables and the count
int pool_installations = 0;
// Leaked on purpose: redirected calls may run until the process is gone.
ImportTable& PoolTable() {
  static auto& table = *new ImportTable;
  return table;
}

absl::Status Install() {
  ImportTable& table = PoolTable();
  if (pool_installations == 0) {
    table.Find(kPoolReplacements, reinterpret_cast<const void*>(&MutexLock));
    for (size_t i = 0; i < kNeeded; ++i) {
      if (table.Has(kPoolReplacements[i].symbol)) continue;
      return absl::UnavailableError(
          "this Node does not import pthread_mutex_lock");
    }
    if (!table.Write(true)) {
      table.Write(false);
      return absl::PermissionDeniedError(
          "the kernel does not let the offset table be changed");
    }
    epoch.fetch_add(1, std::memory_order_relaxed);
  }
  ++pool_installations;
  return absl::OkStatus();
}

void Remove() {
  if (--pool_installations == 0) PoolTable().Write(false);
}

bool AddLoop(const void* mutex, PoolJobs* jobs) {
  size_t at = FirstSlot(mutex);
  for (size_t i = 0; i < kLoops; ++i, at = (at + 1) % kLoops) {
    const void* const found = loops[at].mutex.load(std::memory_order_relaxed);
    if (found != nullptr && found != kGone) continue;
    loops[at].jobs.store(jobs, std::memory_order_relaxed);
    loops[at].mutex.store(mutex, std::memory_order_release);
    return true;
  }
  return false;
}

}  // namespace

absl::Status PoolJobs::CanSee() {
  const std::lock_guard lock(pool_table_mutex);
  absl::Status status = Install();
  if (status.ok()) Remove();
  return status;
}

uint32_t PoolJobs::Threads() {
  const void* const known = pool_mutex.load(std::memory_order_relaxed);
  if (known == nullptr) return 0;
  for (const Waiters& one : waiters) {
    if (one.mutex.load(std::memory_order_relaxed) == known) {
      return one.threads.load(std::memory_order_relaxed);
    }
  }
  return 0;
}

void PoolJobs::Enable() {
  const std::lock_guard lock(pool_table_mutex);
  if (enabled_ || !Install().ok()) return;
  thread_ = uv_thread_self();
  Clear();
  enabled_ = AddLoop(&loop_->wq_mutex, this);
  if (!enabled_) Remove();
}

void PoolJobs::Disable() {
  const std::lock_guard lock(pool_table_mutex);
  if (!std::exchange(enabled_, false)) return;
  // No thread of the pool is between its lock and its unlock.
  uv_mutex_lock(&loop_->wq_mutex);
  SlotOf(&loop_->wq_mutex)->mutex.store(kGone, std::memory_order_release);
  uv_mutex_unlock(&loop_->wq_mutex);
  Remove();
}

// struct uv__queue is {next, prev}; older headers spell it void*[2].
const void* PoolJobs::Last() const {
  return reinterpret_cast<const void* const*>(&loop_->wq)[1];
}

bool PoolJobs::IsLoopThread() const {
  const uv_thread_t now = uv_thread_self();
  return uv_thread_equal(&now, &thread_) != 0;
}

void PoolJobs::Post(const PoolJob& job) {
  if (end_ - first_ == kMost) return;
  jobs_[end_++ % kMost] = job;
}

PoolJob PoolJobs::Take(const void* node) {
  for (size_t at = first_; at != end_; ++at) {
    if (jobs_[at % kMost].node != node) continue;
    first_ = at + 1;
    return jobs_[at % kMost];
  }
  return {};
}

}  // namespace edgewise
