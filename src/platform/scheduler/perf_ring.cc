#include "platform/scheduler/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/status/status.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

absl::StatusOr<std::unique_ptr<PerfRing>> PerfRing::Open(perf_event_attr attr,
                                                         size_t bytes) {
  const std::optional<int64_t> ahead_ns = MonotonicAheadNs();
  if (!ahead_ns.has_value()) {
    return absl::UnavailableError(
        "how far this time namespace's clock is ahead cannot be known");
  }
  attr.size = sizeof(attr);
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  // Nobody waits for it.
  attr.watermark = 1;
  attr.wakeup_watermark = 1U << 31;
  const int fd = static_cast<int>(
      syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (fd < 0) return absl::ErrnoToStatus(errno, "perf_event_open");
  bytes = std::max(bytes, PageBytes());
  void* const memory = mmap(nullptr, PageBytes() + bytes,
                            PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    const absl::Status status =
        absl::ErrnoToStatus(errno, "mmap of perf_event_open's ring");
    close(fd);
    return status;
  }
  return std::unique_ptr<PerfRing>(new PerfRing(
      fd, static_cast<perf_event_mmap_page*>(memory), bytes, *ahead_ns));
}

PerfRing::PerfRing(int fd, perf_event_mmap_page* page, size_t bytes,
                   int64_t ahead_ns)
    : fd_(fd),
      ahead_ns_(ahead_ns),
      page_(page),
      bytes_(bytes),
      data_(reinterpret_cast<const std::byte*>(page) + PageBytes()) {}

PerfRing::~PerfRing() {
  munmap(page_, PageBytes() + bytes_);
  close(fd_);
}

void PerfRing::Copy(uint64_t at, void* to, size_t bytes) const {
  const size_t begin = at & (bytes_ - 1);
  const size_t first = std::min(bytes, bytes_ - begin);
  std::memcpy(to, data_ + begin, first);
  std::memcpy(static_cast<std::byte*>(to) + first, data_, bytes - first);
}

bool PerfRing::Next(Entry* entry) {
  perf_event_header header;
  Copy(tail_, &header, sizeof(header));
  // The last of each entry, of whatever kind.
  struct {
    uint64_t ns;
    uint32_t cpu;
    uint32_t reserved;
  } where;
  if (header.size < sizeof(header) + sizeof(where) || header.size > bytes_) {
    tail_ = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
    ++lost_;
    return false;
  }
  Copy(tail_ + header.size - sizeof(where), &where, sizeof(where));
  *entry = {header.type, header.misc,
            static_cast<int64_t>(where.ns) + ahead_ns_, where.cpu};
  if (header.type == PERF_RECORD_LOST) {
    uint64_t lost[2];  // whose, and how many
    Copy(tail_ + sizeof(header), lost, sizeof(lost));
    lost_ += lost[1];
  }
  tail_ += header.size;
  return true;
}

}  // namespace edgewise
