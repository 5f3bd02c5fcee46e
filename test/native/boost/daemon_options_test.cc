#include <getopt.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "boost/daemon/boostd_options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace edgewise {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<BoostdOptions> Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "edgewise-boostd");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  const int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  optind = 0;  // from the beginning, once more
  return ParseBoostdOptions(argc, argv.data());
}

TEST(DaemonOptionsTest, WithoutFlagsItIsCareful) {
  const auto options = Parse({});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->what, BoostdOptions::What::kServe);
  EXPECT_EQ(options->socket_path, "/run/edgewise/boostd.sock");
  EXPECT_THAT(options->allowed_users, Contains(getuid()));
  EXPECT_THAT(options->allowed_users, Contains(0u));
  EXPECT_EQ(options->min_interval_ns, 100'000);
  EXPECT_EQ(options->max_level, Level::kHigh);
}

TEST(DaemonOptionsTest, FlagsAreRead) {
  const auto options = Parse({"--socket=/x/y", "--allow-user", "root",
                              "--allow-user", "1234", "--actuator", "log",
                              "--max-level", "mid", "--min-interval", "50"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->socket_path, "/x/y");
  EXPECT_THAT(options->allowed_users, ElementsAre(0u, 1234u));
  EXPECT_EQ(options->actuator, "log");
  EXPECT_EQ(options->max_level, Level::kMid);
  EXPECT_EQ(options->min_interval_ns, 50'000);
  EXPECT_EQ(Parse({"--status", "--json"})->what, BoostdOptions::What::kStatus);
  EXPECT_EQ(Parse({"--help"})->what, BoostdOptions::What::kHelp);
}

TEST(DaemonOptionsTest, WhatIsNotAllowedIsNamedWithWhatIs) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--allow-user", "no such user"}, "a user of this machine"},
      {{"--allow-user", "4294967295"}, "a user of this machine"},
      {{"--actuator", "daemon"}, "auto, cpufreq, epp or log"},
      {{"--max-level", "low"}, "mid or high"},
      {{"--min-interval", "0"}, "from 1 to 1000000"},
      {{"--min-interval", "1000001"}, "from 1 to 1000000"},
      {{"--min-interval", "1.5"}, "from 1 to 1000000"},
      {{"--socket", ""}, "a path"},
      {{"--json"}, "--json goes with --status"},
      {{"--nonsense"}, "--help tells"},
      {{"--socket"}, "--help tells"},
      {{"word"}, "\"word\" is not a flag"}};
  for (const auto& [words, text] : cases) {
    const absl::Status status = Parse(words).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << words[0];
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
}

}  // namespace
}  // namespace edgewise
