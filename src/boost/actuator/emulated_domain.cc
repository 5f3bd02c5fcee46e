#include "boost/actuator/emulated_domain.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <new>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "boost/actuator/byte_lock.h"
#include "boost/actuator/published.h"
#include "platform/clock.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

constexpr int kSlots = 256;
constexpr int kLockTries = 4;
constexpr int64_t kLockPauseNs = 50'000;
constexpr uint64_t kLayout = 0x6564676577697301;  // changes with Memory

// Bytes of the file that locks stand for; the file need not be that long.
constexpr off_t kJoinByte = 0;
constexpr off_t kSlotBytes = 1;
constexpr off_t kCpuBytes = kSlotBytes + kSlots;

bool IsName(const std::string& name) {
  return name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
         });
}

absl::Status FileError(const std::string& path) {
  return absl::ErrnoToStatus(
      errno, absl::StrCat("emulated: the shared domain ",
                          path.empty() ? "of this process" : path));
}

// A file without a name is gone with the process, however that ends. Opened
// anew by each member: locks belong to the open file.
int OpenProcessFile() {
  static const int file = memfd_create("edgewise-domain", MFD_CLOEXEC);
  if (file < 0) return -1;
  return open(absl::StrCat("/proc/self/fd/", file).c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace

// In the mapping that all members share. `asked` and the writing of `timeline`
// are under `mutex`; the rest is atomic, or written before the second joins.
struct EmulatedDomain::Memory {
  uint64_t layout;
  Frequencies frequencies;
  int64_t delay_ns;
  pthread_mutex_t mutex;
  // Acquire and release: who sees the count sees the timeline that it counts;
  // the kernel's comparison keeps awake who has seen an older one.
  std::atomic<uint32_t> changes;
  // Relaxed: a number on its own.
  std::atomic<int64_t> overhead_ns;
  std::array<Level, kSlots> asked;
  Published<FrequencyTimeline> timeline;
};

absl::StatusOr<std::unique_ptr<EmulatedDomain>> EmulatedDomain::Join(
    const Frequencies& frequencies, int64_t delay_ns, const std::string& name) {
  std::unique_ptr<EmulatedDomain> domain(new EmulatedDomain);
  absl::Status joined;
  if (name.empty()) {
    joined = domain->Map(frequencies, delay_ns);
  } else if (name == kProcessDomain) {
    joined = domain->JoinFile(frequencies, delay_ns);
  } else {
    if (name.find('/') == std::string::npos && !IsName(name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "emulated: shared domain '", name,
          "': at most 64 letters, digits, '.', '_', '-', or a path"));
    }
    domain->path_ =
        name.find('/') == std::string::npos
            ? absl::StrCat("/dev/shm/edgewise-", geteuid(), "-", name)
            : name;
    joined = domain->JoinFile(frequencies, delay_ns);
  }
  if (!joined.ok()) return joined;
  return domain;
}

EmulatedDomain::~EmulatedDomain() {
  if (memory_ != nullptr) Leave();
  if (fd_ >= 0) close(fd_);  // and with it all locks
}

absl::Status EmulatedDomain::JoinFile(const Frequencies& frequencies,
                                      int64_t delay_ns) {
  for (;;) {
    fd_ = path_.empty() ? OpenProcessFile()
                        : open(path_.c_str(),
                               O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd_ < 0) return FileError(path_);
    struct stat file;
    if (!LockByte(fd_, kJoinByte) || fstat(fd_, &file) != 0) {
      return FileError(path_);
    }
    if (file.st_uid != geteuid()) {
      return absl::PermissionDeniedError(absl::StrCat(
          "emulated: the shared domain ", path_, " belongs to another user"));
    }
    // Its last member took it away between our open() and our lock.
    if (!path_.empty() && file.st_nlink == 0) {
      close(fd_);
      continue;
    }
    if (file.st_size < static_cast<off_t>(sizeof(Memory)) &&
        ftruncate(fd_, sizeof(Memory)) != 0) {
      return FileError(path_);
    }
    absl::Status entered = Enter(frequencies, delay_ns);
    UnlockByte(fd_, kJoinByte);
    return entered;
  }
}

// Under the lock of kJoinByte. What is in the file counts only while a member
// lives.
absl::Status EmulatedDomain::Enter(const Frequencies& frequencies,
                                   int64_t delay_ns) {
  const bool first = !AnyoneLives();
  slot_ = 0;
  while (slot_ < kSlots && !TryLockByte(fd_, kSlotBytes + slot_)) ++slot_;
  if (slot_ == kSlots) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "emulated: the shared domain has ", kSlots, " members already"));
  }
  void* memory =
      mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) return FileError(path_);
  memory_ = static_cast<Memory*>(memory);
  if (first) Initialize(frequencies, delay_ns);
  if (memory_->layout != kLayout || memory_->frequencies != frequencies ||
      memory_->delay_ns != delay_ns) {
    munmap(memory_, sizeof(Memory));
    memory_ = nullptr;
    return absl::InvalidArgumentError(
        absl::StrCat("emulated: the shared domain ", path_,
                     " is in use with other frequencies or another delay"));
  }
  return absl::OkStatus();
}

absl::Status EmulatedDomain::Map(const Frequencies& frequencies,
                                 int64_t delay_ns) {
  void* memory = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ErrnoToStatus(errno, "emulated: no memory");
  }
  memory_ = static_cast<Memory*>(memory);
  Initialize(frequencies, delay_ns);
  return absl::OkStatus();
}

void EmulatedDomain::Initialize(const Frequencies& frequencies,
                                int64_t delay_ns) {
  memory_ = new (memory_) Memory{};
  memory_->layout = kLayout;
  memory_->frequencies = frequencies;
  memory_->delay_ns = delay_ns;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  // A member that is killed while it holds the lock must not stop the others.
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&memory_->mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  memory_->timeline.Write(FrequencyTimeline(delay_ns, MonotonicNs()));
}

bool EmulatedDomain::AnyoneLives() const {
  for (int slot = 0; slot < kSlots; ++slot) {
    if (!IsByteFree(fd_, kSlotBytes + slot)) return true;
  }
  return false;
}

void EmulatedDomain::Leave() {
  if (shared()) LockByte(fd_, kJoinByte);
  Ask(Level::kLow);
  if (shared()) {
    UnlockByte(fd_, kSlotBytes + slot_);
    if (!path_.empty() && !AnyoneLives()) unlink(path_.c_str());
  }
  munmap(memory_, sizeof(Memory));
}

void EmulatedDomain::Lock() {
  if (pthread_mutex_lock(&memory_->mutex) == EOWNERDEAD) Recover();
}

// Who died under the lock may have published half of its wish or nothing.
void EmulatedDomain::Recover() {
  pthread_mutex_consistent(&memory_->mutex);
  Publish();
}

void EmulatedDomain::Ask(Level level) {
  Lock();
  const bool lower = level < memory_->asked[slot_];
  memory_->asked[slot_] = level;
  Publish();
  pthread_mutex_unlock(&memory_->mutex);
  // Who steals looks often; only who has had nothing to steal sleeps for long.
  if (lower) Wake();
}

// Who died while it wrote has left nothing to go on: the accounts begin anew.
void EmulatedDomain::Publish() {
  const int64_t now_ns = MonotonicNs();
  FrequencyTimeline timeline(memory_->delay_ns, now_ns);
  memory_->timeline.Read(&timeline);
  timeline.Ask(*std::max_element(memory_->asked.begin(), memory_->asked.end()),
               now_ns);
  memory_->timeline.Write(timeline);
}

bool EmulatedDomain::Read(FrequencyTimeline* timeline) const {
  return memory_->timeline.Read(timeline);
}

FrequencyTimeline EmulatedDomain::ReadNow() {
  Lock();
  FrequencyTimeline timeline;
  memory_->timeline.Read(&timeline);
  pthread_mutex_unlock(&memory_->mutex);
  return timeline;
}

uint32_t EmulatedDomain::version() const { return memory_->timeline.version(); }

uint32_t EmulatedDomain::changes() const {
  return memory_->changes.load(std::memory_order_acquire);
}

void EmulatedDomain::WaitForChange(uint32_t seen, int64_t until_ns) const {
  constexpr int64_t kSecond = 1'000'000'000;
  const timespec until{until_ns / kSecond, until_ns % kSecond};
  syscall(SYS_futex, &memory_->changes, FUTEX_WAIT_BITSET, seen,
          until_ns == FrequencyTimeline::kNoTime ? nullptr : &until, nullptr,
          FUTEX_BITSET_MATCH_ANY);
}

void EmulatedDomain::Wake() {
  memory_->changes.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &memory_->changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr,
          0);
}

bool EmulatedDomain::LeadOn(int cpu) {
  return !shared() || TryLockByte(fd_, kCpuBytes + cpu);
}

// By a thief, which takes the processor from whom it finds holding the lock,
// and so must let it finish; but not wait for long: the next time will do.
void EmulatedDomain::ForgetTheDead() {
  if (!shared()) return;
  int locked = pthread_mutex_trylock(&memory_->mutex);
  for (int tries = 0; locked == EBUSY && tries < kLockTries; ++tries) {
    SleepNs(kLockPauseNs);
    locked = pthread_mutex_trylock(&memory_->mutex);
  }
  if (locked != 0 && locked != EOWNERDEAD) return;
  bool changed = locked == EOWNERDEAD;
  if (changed) Recover();
  for (int slot = 0; slot < kSlots; ++slot) {
    if (slot == slot_ || memory_->asked[slot] == Level::kLow) continue;
    if (!IsByteFree(fd_, kSlotBytes + slot)) continue;
    memory_->asked[slot] = Level::kLow;
    changed = true;
  }
  if (changed) Publish();
  pthread_mutex_unlock(&memory_->mutex);
  if (changed) Wake();
}

int64_t EmulatedDomain::overhead_ns() const {
  return memory_->overhead_ns.load(std::memory_order_relaxed);
}

void EmulatedDomain::SetOverhead(int64_t overhead_ns) {
  memory_->overhead_ns.store(overhead_ns, std::memory_order_relaxed);
}

}  // namespace edgewise
