#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "across/rows.h"

namespace edgewise {

// What is told of a write comes a little later than it was; where who has
// written loses the processor before it can tell, more than a little.
inline constexpr int64_t kLateNs = 200'000;
inline constexpr int64_t kPreemptedNs = 5'000'000;

// How far a request lies outside of the time of a question, by one clock. What
// was asked for further up has begun before, and ends later.
struct Outside {
  int64_t before_ns;
  int64_t after_ns;

  bool IsPossible() const { return std::min(before_ns, after_ns) <= kLateNs; }
  bool IsNoMoreThan(int64_t ns) const {
    return std::max(before_ns, after_ns) <= ns;
  }
};
inline std::optional<Outside> OutsideOf(int64_t asked_ns, int64_t read_ns,
                                        int64_t ready_ns, int64_t end_ns) {
  if (ready_ns > read_ns || asked_ns > end_ns) return std::nullopt;
  return Outside{asked_ns - ready_ns, end_ns - read_ns};
}

// One connection, as one end has recorded it.
template <typename Row>
struct Session {
  std::span<const Row> rows;
  int64_t begin_ns;
  int64_t end_ns;
};

inline int64_t BeginOf(const ServedRow& row) { return row.ready_ns; }
inline int64_t BeginOf(const CalledRow& row) { return row.asked_ns; }
inline int64_t EndOf(const ServedRow& row) { return row.end_ns; }
inline int64_t EndOf(const CalledRow& row) { return row.read_ns; }

// Rows of one link, in order: each connection's follow one another.
template <typename Row>
std::vector<Session<Row>> SessionsOf(std::span<const Row> rows) {
  std::vector<Session<Row>> sessions;
  for (size_t i = 0; i < rows.size();) {
    size_t end = i;
    int64_t end_ns = INT64_MIN;
    while (end < rows.size() && rows[end].file == rows[i].file &&
           rows[end].session == rows[i].session) {
      end_ns = std::max(end_ns, EndOf(rows[end]));
      ++end;
    }
    sessions.push_back({rows.subspan(i, end - i), BeginOf(rows[i]), end_ns});
    i = end;
  }
  std::sort(sessions.begin(), sessions.end(),
            [](const auto& one, const auto& other) {
              return one.begin_ns < other.begin_ns;
            });
  return sessions;
}

// What is asked after its answer is over is another question. Times of two
// clocks say nothing.
inline bool Fits(const CalledRow& call, const ServedRow& request) {
  return call.clock != request.clock ||
         (call.asked_ns <= request.end_ns && request.ready_ns <= call.read_ns);
}

}  // namespace edgewise
