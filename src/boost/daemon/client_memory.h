#pragma once

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "boost/daemon/protocol.h"

namespace edgewise {

// Size of the memory that holds a ClientPage.
inline constexpr size_t kClientMemoryBytes = 4096;

struct UnmapClientPage {
  void operator()(ClientPage* page) const;
};
using MappedClientPage = std::unique_ptr<ClientPage, UnmapClientPage>;

// A new memory file of kClientMemoryBytes. Its seals forbid to shrink it, by
// which a client could end the daemon with SIGBUS, or to grow it, by which it
// could use up memory. The caller closes it.
absl::StatusOr<int> MakeClientMemory();

// Maps it; FailedPrecondition: it has not the size and the seals of the above.
absl::StatusOr<MappedClientPage> MapClientMemory(int fd);

}  // namespace edgewise
