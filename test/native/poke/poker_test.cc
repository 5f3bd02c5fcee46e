#include "poke/poker.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "test/native/poke/service_process.h"

namespace edgewise {
namespace {

constexpr int64_t kMs = 1'000'000;

// A poker on a thread, and who tells it of rounds.
class PokerTest : public testing::Test {
 protected:
  PokerTest() {
    std::string path = testing::TempDir() + "/pokeXXXXXX";
    directory_ = mkdtemp(path.data());
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
    auto processes = PausedProcesses::Open({service_.pid()});
    EXPECT_TRUE(processes.ok());
    processes_.push_back(*std::move(processes));
    auto gossip = Gossip::At(At("poker"), {At("behind")});
    auto behind = Gossip::At(At("behind"), {});
    auto origin = Gossip::At(At("origin"), {At("poker")});
    EXPECT_TRUE(gossip.ok() && behind.ok() && origin.ok());
    behind_.push_back(*std::move(behind));
    origin_.push_back(*std::move(origin));
    thread_ = std::thread([this, own = *std::move(gossip)]() mutable {
      Poker(processes_.front(), std::move(own), {}, &end_)
          .Run(ends_[1], ends_[1]);
    });
  }
  ~PokerTest() override {
    End();
    std::filesystem::remove_all(directory_);
  }

  std::string At(const char* name) const { return directory_ + "/" + name; }

  std::string Ask(const std::string& command) {
    const std::string line = command + "\n";
    EXPECT_EQ(write(ends_[0], line.data(), line.size()),
              static_cast<ssize_t>(line.size()));
    std::string answer;
    char next = 0;
    while (read(ends_[0], &next, 1) == 1 && next != '\n') answer += next;
    return answer;
  }

  int64_t Read(const std::string& name) {
    const std::vector<std::string> words = absl::StrSplit(Ask("read"), ' ');
    const auto at = std::find(words.begin(), words.end(), name);
    int64_t value = -1;
    if (at == words.end() || !absl::SimpleAtoi(*(at + 1), &value)) return -1;
    return value;
  }

  // Whether `name` comes to at least `value` within 5 s.
  bool Reaches(const std::string& name, int64_t value) {
    for (int i = 0; i < 5000; ++i) {
      if (Read(name) >= value) return true;
      usleep(1000);
    }
    return false;
  }

  void Tell(uint64_t run, uint64_t number) {
    origin_.front().Tell({.run = run, .number = number});
  }

  void End() {
    if (!thread_.joinable()) return;
    shutdown(ends_[0], SHUT_WR);
    thread_.join();
    for (const int fd : ends_) close(fd);
  }

  ServiceProcess service_;
  std::vector<Gossip> behind_;

 private:
  std::string directory_;
  std::array<int, 2> ends_{};
  std::vector<PausedProcesses> processes_;
  std::vector<Gossip> origin_;
  PauseEnd end_{0};
  std::thread thread_;
};

TEST_F(PokerTest, PausesForARoundAndTellsItsNeighbours) {
  ASSERT_EQ(Ask("arm 1 20000000"), "armed");
  Tell(1, 1);
  EXPECT_TRUE(service_.Becomes(true));
  EXPECT_TRUE(service_.Becomes(false));
  EXPECT_TRUE(Reaches("pauses", 1));
  EXPECT_GE(Read("paused_ns"), 20 * kMs);
  EXPECT_EQ(Read("rounds"), 1);
  const std::optional<Round> heard = behind_.front().Receive();
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->number, 1u);
}

TEST_F(PokerTest, ARoundThatTwoNeighboursTellOfIsOne) {
  ASSERT_EQ(Ask("arm 1 1000000"), "armed");
  Tell(1, 1);
  Tell(1, 1);
  Tell(1, 2);
  EXPECT_TRUE(Reaches("rounds", 2));
  EXPECT_TRUE(Reaches("paused_ns", 2 * kMs));
  EXPECT_LE(Read("owed_ns"), 0);
  ASSERT_TRUE(behind_.front().Receive());
  ASSERT_TRUE(behind_.front().Receive());
  EXPECT_FALSE(behind_.front().Receive());
}

TEST_F(PokerTest, ARoundOfTheLastRunOrBeforeAnyIsNone) {
  Tell(0, 5);
  ASSERT_EQ(Ask("arm 2 1000000"), "armed");
  Tell(1, 5);
  Tell(2, 1);
  EXPECT_TRUE(Reaches("rounds", 1));
  EXPECT_EQ(Read("rounds"), 1);
}

TEST_F(PokerTest, DisarmedItsServiceGoesOnAtOnce) {
  ASSERT_EQ(Ask("arm 1 100000000000"), "armed");
  Tell(1, 1);
  ASSERT_TRUE(service_.Becomes(true));
  EXPECT_EQ(Ask("disarm").substr(0, 17), "rounds 1 pauses 1");
  EXPECT_TRUE(service_.Becomes(false));
  Tell(1, 2);
  EXPECT_EQ(Read("rounds"), 1);
}

TEST_F(PokerTest, TheEndOfItsInputEndsIt) {
  ASSERT_EQ(Ask("arm 1 100000000000"), "armed");
  Tell(1, 1);
  ASSERT_TRUE(service_.Becomes(true));
  End();
  EXPECT_TRUE(service_.Becomes(false));
}

TEST_F(PokerTest, SaysWhatIsNoCommand) {
  EXPECT_EQ(Ask("pause"), "error no command: pause");
  EXPECT_EQ(Ask("arm 1 -5"), "error no command: arm 1 -5");
  EXPECT_EQ(Ask("follow 0"), "error no command: follow 0");
}

}  // namespace
}  // namespace edgewise
