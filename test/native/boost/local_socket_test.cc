#include "boost/daemon/local_socket.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/native/boost/daemon_kit.h"

namespace edgewise {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kNobody = 65534;

mode_t ModeOf(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

class LocalListenerTest : public ::testing::Test {
 protected:
  std::string MessageOfRefusal() const {
    const auto listener = LocalListener::At(directory_.path() + "/socket");
    EXPECT_TRUE(absl::IsPermissionDenied(listener.status()))
        << listener.status();
    return std::string(listener.status().message());
  }

  const DaemonDirectory directory_;
};

TEST_F(LocalListenerTest, WhateverTheUmaskEveryoneMayConnect) {
  const mode_t before = umask(077);
  const auto listener = LocalListener::At(directory_.socket());
  EXPECT_EQ(umask(before), 077u) << "it is as it was";
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_EQ(ModeOf(directory_.socket()), 0666u);
  EXPECT_EQ(ModeOf(directory_.path() + "/run"), 0755u);
}

// In another's directory a link in the socket's place would have led chmod() to
// any file.
TEST_F(LocalListenerTest, RefusesADirectoryOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  ASSERT_EQ(chown(directory_.path().c_str(), kNobody, kNobody), 0);
  EXPECT_THAT(MessageOfRefusal(), HasSubstr("belongs to user 65534"));
}

TEST_F(LocalListenerTest, RefusesADirectoryThatOthersMayWrite) {
  for (const mode_t mode : {0777, 0775, 0757}) {
    ASSERT_EQ(chmod(directory_.path().c_str(), mode), 0);
    EXPECT_THAT(MessageOfRefusal(), HasSubstr("chmod go-w"));
  }
  ASSERT_EQ(chmod(directory_.path().c_str(), 01777), 0);
  EXPECT_TRUE(LocalListener::At(directory_.path() + "/socket").ok());
}

}  // namespace
}  // namespace edgewise
