#include "recorder/stacks/stack_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "test/native/recorder/trace_directory.h"

namespace edgewise {
namespace {

class StackTableTest : public ::testing::Test {
 protected:
  StackTableTest() {
    auto recorder = Recorder::Start({.path = dir_.file()});
    EXPECT_TRUE(recorder.ok()) << recorder.status();
    recorder_ = *std::move(recorder);
  }

  TraceDirectory dir_;
  std::unique_ptr<Recorder> recorder_;
};

TEST_F(StackTableTest, StacksShareTheirOuterFrames) {
  StackTable table(recorder_.get());
  const StackFrame outer{"main", "/app.js", 10, 2};
  const std::vector<StackFrame> one = {{"one", "/app.js", 3, 4}, outer};
  const std::vector<StackFrame> two = {{"two", "/lib.js", 5, 6}, outer};
  const uint32_t first = table.Intern(one);
  const uint32_t second = table.Intern(two);
  EXPECT_NE(first, 0u);
  EXPECT_NE(first, second);
  EXPECT_EQ(table.size(), 3u);
  EXPECT_EQ(table.Intern(one), first);
  EXPECT_EQ(table.size(), 3u);
  // The same function, at another of its lines.
  EXPECT_NE(
      table.Intern(std::vector<StackFrame>{{"one", "/app.js", 4, 4}, outer}),
      first);
}

TEST_F(StackTableTest, AFullTableTakesNoMore) {
  StackTable table(recorder_.get());
  for (uint32_t line = 1; line <= StackTable::kMaxNodes; ++line) {
    ASSERT_NE(table.Intern(std::vector<StackFrame>{{"f", "/app.js", line, 1}}),
              0u);
  }
  EXPECT_EQ(table.Intern(std::vector<StackFrame>{{"f", "/app.js", 0, 1}}), 0u);
  EXPECT_NE(table.Intern(std::vector<StackFrame>{{"f", "/app.js", 7, 1}}), 0u);
  EXPECT_EQ(table.size(), StackTable::kMaxNodes);
}

}  // namespace
}  // namespace edgewise
