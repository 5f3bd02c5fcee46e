#include "analysis/rows/row_context.h"

#include "absl/strings/str_cat.h"
#include "trace/fnv1a.h"

namespace edgewise {

// With a last step that spreads it: the same in each run.
int64_t RowContext::FindKey() const {
  const StreamCounts& counts = stream_->counts();
  const std::string text = absl::StrCat(
      stream_->meta().identity, " ", counts.process, " ", counts.thread, " ",
      counts.first_ns, " ", counts.unix_offset_ns, " ", name_);
  uint64_t hash = Fnv1a(text);
  hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
  hash ^= hash >> 32;
  return static_cast<int64_t>(hash >> 1) | 1;
}

}  // namespace edgewise
