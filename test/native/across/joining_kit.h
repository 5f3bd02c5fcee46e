#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "across/joining.h"

namespace edgewise {

inline constexpr int64_t kMs = 1'000'000;

// The bytes of each message, and where it begins.
inline ServedRow Served(uint64_t link, uint32_t request, uint32_t received,
                        int64_t ready_ms, int64_t end_ms) {
  ServedRow row{};
  row.link = link;
  row.ready_ns = row.begin_ns = ready_ms * kMs;
  row.end_ns = end_ms * kMs;
  row.exec_ns = row.end_ns - row.ready_ns;
  row.received = received;
  row.session = 1;
  row.file = 1;
  row.request = request;
  return row;
}

inline CalledRow Called(uint64_t link, uint32_t request, uint32_t asked,
                        int64_t begin_ms, int64_t end_ms) {
  CalledRow row{};
  row.link = link;
  row.begin_ns = begin_ms * kMs;
  row.end_ns = end_ms * kMs;
  row.asked_ns = row.begin_ns;
  row.read_ns = row.end_ns;
  row.asked = asked;
  row.session = 7;
  row.file = 2;
  row.request = request;
  return row;
}

class JoiningTest : public testing::Test {
 protected:
  void Add(const ServedRow& row) { exchanges_.served.Add(row); }
  void Add(const CalledRow& row) { exchanges_.called.Add(row); }
  void AddNamed(const ServedRow& row) { exchanges_.named.Add(row); }

  // The request that each call was, 0: none; by the caller's request.
  std::map<uint32_t, uint32_t> Join() { return Join(&exchanges_); }
  std::map<uint32_t, uint32_t> Join(Exchanges* exchanges) {
    EXPECT_TRUE(exchanges->served.Finish().ok());
    EXPECT_TRUE(exchanges->named.Finish().ok());
    EXPECT_TRUE(exchanges->called.Finish().ok());
    std::map<uint32_t, uint32_t> found;
    Joining joining(exchanges, scratch_);
    // The first look sorts out, later ones find the same.
    for (int look = 0; look < 2; ++look) {
      found.clear();
      uint64_t visited = 0;
      EXPECT_TRUE(joining
                      .ForEach([&](const JoinedCall& joined) {
                        const uint32_t call = joined.call->request;
                        ++visited;
                        found[call] =
                            joined.served ? joined.served->request : 0;
                        by_[call] = joined.by;
                        candidates_[call] = joined.candidates;
                      })
                      .ok());
      EXPECT_EQ(visited, exchanges->called.count());
    }
    return found;
  }
  using Pairs = std::map<uint32_t, uint32_t>;

  const std::vector<std::string> scratch_ = {testing::TempDir()};
  Exchanges exchanges_{scratch_};
  std::map<uint32_t, JoinedBy> by_;  // by the caller's request
  std::map<uint32_t, uint32_t> candidates_;
};

inline CalledRow NamedAs(uint64_t name, CalledRow row) {
  row.context = name;
  return row;
}

}  // namespace edgewise
