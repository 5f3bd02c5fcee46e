#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "test/native/boost/policy_kit.h"

namespace edgewise {
namespace {

// Streams of signals as text, a line each (#: comment):
//   policy NAMES, target MS, transition US      first
//   pass US
//   busy N | idle | event | look N | gc KIND | gcend KIND
//   request NUMBER ROUTE AGE_US | end NUMBER
//   requests COUNT ROUTE EACH_US                alone, one after the other
//   batch EVENTS EACH_US TIMES
//   want LEVEL REASON                           what must be wanted now
class StreamPlayer {
 public:
  void Play(const std::filesystem::path& file) {
    std::ifstream in(file);
    ASSERT_TRUE(in.good()) << file;
    std::string text;
    for (int line = 1; std::getline(in, text); ++line) {
      SCOPED_TRACE(file.filename().string() + ":" + std::to_string(line));
      std::istringstream words(text);
      std::string word;
      if (!(words >> word) || word[0] == '#') continue;
      ASSERT_NO_FATAL_FAILURE(Line(word, &words));
      ASSERT_FALSE(words.fail()) << text;
    }
    EXPECT_GT(wants_, 0) << "the stream expects nothing";
  }

 private:
  void Line(const std::string& word, std::istringstream* words) {
    if (player_ != nullptr) return Signals(word, words);
    std::string names;
    int64_t target_ms = 0;
    int64_t transition_us = 0;
    ASSERT_EQ(word, "policy");
    *words >> names >> target_ms >> transition_us;
    PolicyConfig config = PaperConfig();
    config.target_ns = target_ms * kMs;
    config.transition_ns = transition_us * kUs;
    player_ = std::make_unique<Player>(MakeOrDie(names, config));
  }

  void Signals(const std::string& word, std::istringstream* words) {
    if (word == "want") return Expect(words);
    if (word == "idle") return player_->Idle();
    if (word == "event") return player_->Event();
    uint32_t first = 0;
    *words >> first;
    if (word == "busy") return player_->Busy(first);
    if (word == "look") return player_->Look(first);
    if (word == "gc") return player_->GcBegin(GcKind{first});
    if (word == "gcend") return player_->GcEnd(GcKind{first});
    if (word == "end") return player_->RequestEnd(first);
    if (word == "pass") return player_->Pass(first * kUs);
    uint32_t second = 0;
    int64_t third = 0;
    *words >> second >> third;
    if (word == "request") {
      player_->Request(first, second, third * kUs);
    } else if (word == "requests") {
      player_->Requests(first, second, third * kUs);
    } else if (word == "batch") {
      for (int64_t i = 0; i < third; ++i) player_->Batch(first, second * kUs);
    } else {
      FAIL() << "no such word: " << word;
    }
  }

  void Expect(std::istringstream* words) {
    std::string level;
    std::string reason;
    *words >> level >> reason;
    const Want want = player_->policy().want();
    EXPECT_EQ(NameOf(want.level), level);
    EXPECT_EQ(kReasonNames[static_cast<size_t>(want.reason)], reason);
    ++wants_;
  }

  std::unique_ptr<Player> player_;
  int wants_ = 0;
};

TEST(PolicyStream, EveryStreamIsAnsweredAsItSays) {
  const auto directory =
      std::filesystem::path(__FILE__).parent_path() / "streams";
  int streams = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    StreamPlayer().Play(entry.path());
    ++streams;
  }
  EXPECT_GE(streams, 3);
}

}  // namespace
}  // namespace edgewise
