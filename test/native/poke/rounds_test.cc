#include "poke/rounds.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

namespace edgewise {
namespace {

class RoundsTest : public testing::Test {
 protected:
  RoundsTest() {
    std::string path = testing::TempDir() + "/pokeXXXXXX";
    directory_ = mkdtemp(path.data());
  }
  ~RoundsTest() override { std::filesystem::remove_all(directory_); }

  std::string At(const char* name) const { return directory_ + "/" + name; }

 private:
  std::string directory_;
};

TEST_F(RoundsTest, TellsEachNeighbourAndForgetsWhoIsNotThere) {
  const absl::StatusOr<Gossip> one = Gossip::At(At("one"), {});
  const absl::StatusOr<Gossip> two = Gossip::At(At("two"), {});
  const absl::StatusOr<Gossip> origin =
      Gossip::At(At("origin"), {At("one"), At("nobody"), At("two")});
  ASSERT_TRUE(one.ok() && two.ok() && origin.ok());
  EXPECT_FALSE(one->Receive());
  origin->Tell({.run = 3, .number = 8});
  for (const Gossip* each : {&*one, &*two}) {
    const std::optional<Round> heard = each->Receive();
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->run, 3u);
    EXPECT_EQ(heard->number, 8u);
    EXPECT_FALSE(each->Receive());
  }
}

TEST_F(RoundsTest, ItsSocketGoesWithIt) {
  {
    const absl::StatusOr<Gossip> one = Gossip::At(At("one"), {});
    ASSERT_TRUE(one.ok());
    EXPECT_FALSE(Gossip::At(At("one"), {}).ok());
  }
  EXPECT_TRUE(Gossip::At(At("one"), {}).ok());
}

TEST_F(RoundsTest, ARoundIsOverWheneverSoManyRequestsHaveBegun) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  At("control").copy(address.sun_path, sizeof address.sun_path - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(
      bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  absl::StatusOr<CountedProcess> process =
      CountedProcess::Follow(At("control"), 50);
  ASSERT_TRUE(process.ok());
  const int peer = accept(listener, nullptr, nullptr);
  std::array<char, 100> asked{};
  ASSERT_GT(read(peer, asked.data(), asked.size()), 0);
  EXPECT_STREQ(asked.data(), "{\"command\":\"count\",\"every\":50}\n");

  EXPECT_EQ(process->Read(), 0u);
  const auto say = [&](const std::string& text) {
    ASSERT_EQ(write(peer, text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  };
  say("{\"ok\":true,\"result\":{}}\n50 1111\n10");
  EXPECT_EQ(process->Read(), 1u);
  say("0 2222\n150 3333\n");
  EXPECT_EQ(process->Read(), 2u);
  close(peer);
  EXPECT_EQ(process->Read(), std::nullopt);
  close(listener);
}

TEST_F(RoundsTest, NobodyAnswers) {
  EXPECT_FALSE(CountedProcess::Follow(At("control"), 50).ok());
  EXPECT_FALSE(CountedProcess::Follow(std::string(200, 'x'), 50).ok());
}

TEST(TakeNewestCountTest, LeavesWhatIsNoWholeLine) {
  std::string text = "{}\n7 1\n9 2\n11";
  EXPECT_EQ(TakeNewestCount(&text), 9u);
  EXPECT_EQ(text, "11");
  EXPECT_EQ(TakeNewestCount(&text), std::nullopt);
  EXPECT_EQ(text, "11");
}

}  // namespace
}  // namespace edgewise
