#include "recorder/protocol/fold.h"

#include <gtest/gtest.h>

#include <string>

namespace edgewise {
namespace {

std::string Path(std::string_view path, bool complete = true) {
  OperationText text;
  AppendFoldedPath(path, complete, &text);
  return std::string(text.view());
}

std::string Name(std::string_view name) {
  OperationText text;
  AppendFoldedName(name, &text);
  return std::string(text.view());
}

// As lib/instrument/servers/routes.js does.
TEST(FoldTest, FoldsSegmentsThatLookLikeIds) {
  EXPECT_EQ(Path("/users/42"), "/users/:id");
  EXPECT_EQ(Path("/a/123e4567-e89b-12d3-a456-426614174000/b"), "/a/:id/b");
  EXPECT_EQ(Path("/a/deadbeefdeadbeef"), "/a/:id");
  EXPECT_EQ(Path("/a/token-with-1-digit"), "/a/:id");
  EXPECT_EQ(Path("/p/pad-17"), "/p/:id");
  EXPECT_EQ(Path("/api/v1/users/"), "/api/v1/users/");
  EXPECT_EQ(Path("/"), "/");
}

TEST(FoldTest, LeavesOutWhatCouldBeSecret) {
  EXPECT_EQ(Path("/users?token=hunter2"), "/users");
  EXPECT_EQ(Path("/users#hunter2"), "/users");
  EXPECT_EQ(Path("/users/joe@hunter2.com"), "/users/:id");
  EXPECT_EQ(Path("/a;jsessionid=hunter2/b"), "/:id/b");
  EXPECT_EQ(Path("/bot1102:AAHdqTcvC/send"), "/:id/send");
  EXPECT_EQ(Path("/a/half-a-tok", /*complete=*/false), "/a/...");
}

TEST(FoldTest, TellsNoPartOfASegment) {
  const std::string words(30, 'w');
  EXPECT_EQ(Path("/" + words + "/" + words + "/" + words + "/" + words),
            "/" + words + "/" + words + "/...");
}

TEST(FoldTest, FoldsNames) {
  EXPECT_EQ(Name("Users"), "users");
  EXPECT_EQ(Name("users_8f3a19cc"), "users_:id");
  EXPECT_EQ(Name("t_123e4567-e89b-12d3-a456-426614174000_x"), "t_:id_x");
  EXPECT_EQ(Name("a_1_2_3.b"), "a_:id.b");
  EXPECT_EQ(Name("md5_sums"), "md5_sums");
  EXPECT_EQ(Name("caf\xc3\xa9"), "caf??");
}

}  // namespace
}  // namespace edgewise
