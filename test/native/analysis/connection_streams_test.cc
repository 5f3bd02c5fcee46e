#include <gtest/gtest.h>

#include "analysis/builder/connection_table.h"

namespace edgewise {
namespace {

class ConnectionStreamsTest : public testing::Test {
 protected:
  ConnectionStreamsTest() { connection_.multiplexed = true; }
  void Ask(RequestRef request, uint32_t stream, uint64_t id) {
    connection_.Ask(
        {.request = request, .node = 0, .stream = stream, .stream_id = id},
        /*another=*/true);
  }
  // 0: it is not known.
  uint32_t StreamIn(RequestRef request, uint64_t event) const {
    const auto* const asker = connection_.StreamOf(request, event);
    return asker != nullptr ? asker->stream : 0;
  }

  const RequestRef one_{1, 1};
  const RequestRef other_{2, 1};
  ConnectionTable::Connection connection_;
};

TEST_F(ConnectionStreamsTest, TheOnlyOneOfARequest) {
  Ask(one_, 1, 50);
  Ask(other_, 3, 60);
  EXPECT_EQ(StreamIn(one_, 7), 1u);
  EXPECT_EQ(StreamIn(other_, 7), 3u);
}

TEST_F(ConnectionStreamsTest, OfSeveralTheOneThatRuns) {
  Ask(one_, 1, 50);
  Ask(one_, 3, 60);
  EXPECT_EQ(StreamIn(one_, 7), 0u) << "either may have answered";
  connection_.Enter(60, 7);
  EXPECT_EQ(StreamIn(one_, 7), 3u);
  EXPECT_EQ(StreamIn(one_, 8), 0u) << "that was another event";
}

TEST_F(ConnectionStreamsTest, BothInOneEventAreNotToldApart) {
  Ask(one_, 1, 50);
  Ask(one_, 3, 60);
  connection_.Enter(50, 7);
  connection_.Enter(60, 7);
  EXPECT_EQ(StreamIn(one_, 7), 0u);
}

TEST_F(ConnectionStreamsTest, WhatHasNoIdIsNotTakenForAnother) {
  Ask(one_, 1, 0);
  Ask(one_, 3, 0);
  connection_.Enter(0, 7);
  EXPECT_EQ(StreamIn(one_, 7), 0u);
}

}  // namespace
}  // namespace edgewise
