#include "recorder/name_queries.h"

#include <gtest/gtest.h>

#include <vector>

namespace edgewise {
namespace {

using Bytes = std::vector<uint8_t>;
using Readiness = NameQueries::Readiness;

// A message of a header alone.
Bytes Message(uint16_t number) {
  Bytes bytes(12, 0);
  bytes[0] = static_cast<uint8_t>(number >> 8);
  bytes[1] = static_cast<uint8_t>(number);
  return bytes;
}

Bytes Framed(const std::vector<uint16_t>& numbers) {
  Bytes framed;
  for (const uint16_t number : numbers) {
    const Bytes message = Message(number);
    framed.push_back(0);
    framed.push_back(static_cast<uint8_t>(message.size()));
    framed.insert(framed.end(), message.begin(), message.end());
  }
  return framed;
}

class NameQueriesTest : public ::testing::Test {
 protected:
  void Ask(uint64_t id, uint16_t number, int fd = 9) {
    const Bytes message = Message(number);
    queries_.Sent(fd, false, message.data(), message.size(), id);
  }
  void Answer(uint16_t number, uint64_t ticks, int fd = 9) {
    const Bytes message = Message(number);
    queries_.Received(fd, message.data(), message.size(),
                      {ticks, ReadyKind::kObserved});
  }
  uint64_t Take(uint64_t id) {
    Readiness ready;
    EXPECT_TRUE(queries_.Take(id, &ready)) << id;
    return ready.ticks;
  }
  bool Knows(uint64_t id) {
    Readiness ready;
    return queries_.Take(id, &ready);
  }

  NameQueries queries_;
};

TEST_F(NameQueriesTest, AnswersComeInAnyOrder) {
  Ask(101, 0x1234);
  Ask(102, 0x4321);
  Answer(0x4321, 50);
  Answer(0x1234, 60);
  EXPECT_EQ(Take(102), 50u);
  EXPECT_EQ(Take(101), 60u);
  EXPECT_FALSE(queries_.waiting());
}

TEST_F(NameQueriesTest, OtherResourcesAreNoQuestions) {
  EXPECT_FALSE(Knows(0));
  EXPECT_FALSE(Knows(101));
  Ask(101, 7);
  EXPECT_FALSE(Knows(100));
  EXPECT_FALSE(Knows(102));
  EXPECT_FALSE(Knows(0));
}

TEST_F(NameQueriesTest, ARepeatedQuestionIsThatOfTheFirstResource) {
  Ask(101, 7);
  Ask(150, 7, 11);  // another server
  Answer(7, 80, 11);
  EXPECT_EQ(Take(101), 80u);
  EXPECT_FALSE(Knows(150));
}

TEST_F(NameQueriesTest, AnAnswerCountsForTheCallbacksThatFollowIt) {
  Ask(101, 7);
  Answer(7, 80);  // truncated: the resolver asks again, over a stream
  queries_.Settle();
  const Bytes question = Framed({7});
  queries_.Sent(12, true, question.data(), question.size(), 130);
  Answer(7, 90, 77);  // a socket that nothing was sent on
  for (const uint8_t& byte : question) {
    queries_.Received(12, &byte, 1, {100, ReadyKind::kObserved});
  }
  EXPECT_EQ(Take(101), 100u);
}

TEST_F(NameQueriesTest, SeveralMessagesOfAStreamMayComeAtOnce) {
  const Bytes questions = Framed({7, 8, 9});
  queries_.Sent(12, true, questions.data(), questions.size(), 103);
  EXPECT_TRUE(Knows(103));
  EXPECT_FALSE(queries_.waiting());
}

TEST_F(NameQueriesTest, WithoutAnAnswerItIsTheFailureOrTheTimer) {
  Ask(101, 7);
  Ask(102, 8);
  Ask(103, 9);
  queries_.Failed(9, {70, ReadyKind::kObserved});
  EXPECT_EQ(Take(101), 70u);
  queries_.Settle();
  queries_.TimerRan({90, ReadyKind::kDue});
  EXPECT_EQ(Take(102), 90u);
  queries_.Settle();
  EXPECT_EQ(Take(103), 0u) << "cancelled: nothing tells when";
}

TEST_F(NameQueriesTest, AServerThatWasProbedIsNotWaitedFor) {
  Ask(101, 7);
  Ask(101, 8, 11);
  Answer(7, 50);
  EXPECT_EQ(Take(101), 50u);
  EXPECT_FALSE(queries_.waiting());
}

TEST_F(NameQueriesTest, MoreThanItRemembersAreForgotten) {
  for (uint64_t id = 1; id <= 2000; ++id) Ask(id, static_cast<uint16_t>(id));
  EXPECT_FALSE(Knows(1));
  EXPECT_TRUE(Knows(2000));
  Answer(1, 10);
  Answer(1999, 20);
  EXPECT_EQ(Take(1999), 20u);
}

}  // namespace
}  // namespace edgewise
