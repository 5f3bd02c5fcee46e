#include "analysis/stream/trace_contexts.h"

#include <gtest/gtest.h>

namespace edgewise {
namespace {

void Take(TraceContexts* contexts, uint32_t request) {
  Record record{};
  PutTraceContext({1, 2, uint64_t{request} + 1, 0}, request, &record);
  contexts->Take(record);
}

TEST(TraceContextsTest, OthersMayAskForOneThatHasEnded) {
  TraceContexts contexts;
  Take(&contexts, 5);
  contexts.NoteEnd(5);
  ASSERT_NE(contexts.Of(5), nullptr);
  EXPECT_EQ(contexts.Of(5)->parent, 6u);
  EXPECT_EQ(contexts.Of(6), nullptr);
  contexts.Clear();
  EXPECT_EQ(contexts.Of(5), nullptr);
}

TEST(TraceContextsTest, IsBoundedAndForgetsTheOldestThatHasEnded) {
  TraceContexts contexts;
  for (uint32_t i = 0; i < TraceContexts::kMost; ++i) Take(&contexts, i);
  Take(&contexts, 1'000'000);
  EXPECT_EQ(contexts.Of(1'000'000), nullptr) << "all are open";
  contexts.NoteEnd(7);
  contexts.NoteEnd(8);
  Take(&contexts, 1'000'001);
  EXPECT_EQ(contexts.Of(7), nullptr);
  EXPECT_NE(contexts.Of(8), nullptr);
  EXPECT_NE(contexts.Of(0), nullptr);
  EXPECT_NE(contexts.Of(1'000'001), nullptr);
}

}  // namespace
}  // namespace edgewise
