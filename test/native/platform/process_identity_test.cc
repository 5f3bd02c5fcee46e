#include "platform/process_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace edgewise {
namespace {

TEST(ProcessIdentityTest, IsOneForTheProcess) {
  EXPECT_THAT(ProcessIdentity(), ::testing::MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(&ProcessIdentity(), &ProcessIdentity());
}

}  // namespace
}  // namespace edgewise
