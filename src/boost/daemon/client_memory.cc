#include "boost/daemon/client_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/status/status.h"

namespace edgewise {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

static_assert(sizeof(ClientPage) <= kClientMemoryBytes);

}  // namespace

void UnmapClientPage::operator()(ClientPage* page) const {
  munmap(static_cast<void*>(page), kClientMemoryBytes);
}

absl::StatusOr<int> MakeClientMemory() {
  const int fd =
      memfd_create("edgewise-boostd", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return absl::ErrnoToStatus(errno, "memfd_create");
  if (ftruncate(fd, kClientMemoryBytes) != 0 ||
      fcntl(fd, F_ADD_SEALS, kSeals) != 0) {
    const int error = errno;
    close(fd);
    return absl::ErrnoToStatus(error, "sealed memory");
  }
  return fd;
}

absl::StatusOr<MappedClientPage> MapClientMemory(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || info.st_size != off_t{kClientMemoryBytes} ||
      (fcntl(fd, F_GET_SEALS) & kSeals) != kSeals) {
    return absl::FailedPreconditionError("it is not sealed memory");
  }
  void* const memory = mmap(nullptr, kClientMemoryBytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return absl::ErrnoToStatus(errno, "mmap");
  return MappedClientPage(static_cast<ClientPage*>(memory));
}

}  // namespace edgewise
