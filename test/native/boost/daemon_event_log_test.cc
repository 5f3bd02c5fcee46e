#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "boost/daemon/event_log.h"
#include "boost/daemon/local_socket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace edgewise {
namespace {

using ::testing::EndsWith;

// Lines that come slowly enough to be written.
class EventLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends;
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    reader_ = OwnedFd(ends[0]);
    writer_ = OwnedFd(ends[1]);
    ASSERT_EQ(fcntl(reader_.get(), F_SETFL, O_NONBLOCK), 0);
  }

  void Write(EventLog& log, const std::string& text) {
    log.Write(text, now_ns_ += EventLog::kIntervalNs);
  }

  std::string ReadAll() const {
    std::string all;
    std::array<char, 4096> part;
    for (ssize_t size;
         (size = read(reader_.get(), part.data(), part.size())) > 0;) {
      all.append(part.data(), static_cast<size_t>(size));
    }
    return all;
  }

  OwnedFd reader_;
  OwnedFd writer_;
  int64_t now_ns_ = 1'000'000'000;
};

TEST_F(EventLogTest, WhatComesTooOftenIsCounted) {
  EventLog log(writer_.get());
  for (int i = 0; i < EventLog::kBurst + 3; ++i) log.Write("a line", now_ns_);
  ReadAll();
  Write(log, "the next");
  EXPECT_THAT(ReadAll(),
              EndsWith(" edgewise boostd: the next (3 lines left out)\n"));
  Write(log, "another");
  EXPECT_THAT(ReadAll(), EndsWith("another\n"));
}

TEST_F(EventLogTest, APipeThatNobodyReadsStopsNobody) {
  ASSERT_GE(fcntl(writer_.get(), F_SETPIPE_SZ, 4096), 4096);
  EventLog log(writer_.get());
  alarm(10);  // a write that waits would wait for ever
  for (int i = 0; i < 1000; ++i) Write(log, std::string(100, 'x'));
  alarm(0);
  const std::string written = ReadAll();
  const auto lines = std::ranges::count(written, '\n');
  EXPECT_GT(lines, 0);
  EXPECT_THAT(written, EndsWith("x\n")) << "whole lines only";
  Write(log, "read again");
  EXPECT_THAT(ReadAll(),
              EndsWith("read again (" + std::to_string(1000 - lines) +
                       " lines left out)\n"));
}

TEST_F(EventLogTest, NoReaderIsNoHarm) {
  signal(SIGPIPE, SIG_IGN);
  EventLog log(writer_.get());
  reader_ = OwnedFd();
  Write(log, "unheard");
  signal(SIGPIPE, SIG_DFL);
}

}  // namespace
}  // namespace edgewise
