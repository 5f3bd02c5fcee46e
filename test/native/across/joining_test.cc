#include "across/joining.h"

#include <vector>

#include "test/native/across/joining_kit.h"

namespace edgewise {
namespace {

TEST_F(JoiningTest, ByTheBytesOnTheConnection) {
  for (uint32_t i = 0; i < 5; ++i) {
    Add(Served(11, 100 + i, 80 * i, 10 * i + 1, 10 * i + 8));
    Add(Called(11, 1 + i, 80 * i + 80, 10 * i, 10 * i + 9));
  }
  EXPECT_EQ(Join(), (Pairs{{1, 100}, {2, 101}, {3, 102}, {4, 103}, {5, 104}}));
}

// Of a message of several writes the first asks.
TEST_F(JoiningTest, ByPartOfTheMessage) {
  Add(Served(11, 100, 0, 1, 8));
  Add(Served(11, 101, 5000, 11, 18));
  Add(Called(11, 1, 200, 0, 9));
  Add(Called(11, 2, 5200, 10, 19));
  EXPECT_EQ(Join(), (Pairs{{1, 100}, {2, 101}}));
}

TEST_F(JoiningTest, OffsetsWrapAround) {
  const uint32_t before = UINT32_MAX - 50;
  Add(Served(11, 100, before, 1, 8));
  Add(Served(11, 101, before + 100, 11, 18));
  Add(Called(11, 1, before + 100, 0, 9));
  Add(Called(11, 2, before + 200, 10, 19));
  EXPECT_EQ(Join(), (Pairs{{1, 100}, {2, 101}}));
}

TEST_F(JoiningTest, OtherConnectionsAreOthers) {
  Add(Served(11, 100, 0, 1, 8));
  Add(Called(12, 1, 80, 0, 9));
  Add(Called(11, 2, 80, 0, 9));
  Add(Called(13, 3, 80, 0, 9));
  Add(Served(14, 101, 0, 1, 8));
  EXPECT_EQ(Join(), (Pairs{{1, 0}, {2, 100}, {3, 0}}));
}

// What was lost is nobody else's.
TEST_F(JoiningTest, ACallWhoseRequestIsMissingIsNotTheOneBefores) {
  for (const bool other_clock : {false, true}) {
    Exchanges exchanges(scratch_);
    for (uint32_t i = 0; i < 5; ++i) {
      ServedRow row = Served(11, 100 + i, 80 * i, 10 * i + 1, 10 * i + 8);
      row.clock = other_clock ? 1 : 0;
      if (i != 2) exchanges.served.Add(row);
      exchanges.called.Add(Called(11, 1 + i, 80 * i + 80, 10 * i, 10 * i + 9));
    }
    EXPECT_EQ(Join(&exchanges),
              (Pairs{{1, 100}, {2, 101}, {3, 0}, {4, 103}, {5, 104}}))
        << other_clock;
  }
}

TEST_F(JoiningTest, APortThatIsUsedAgainIsAnotherConnection) {
  for (uint32_t session = 0; session < 3; ++session) {
    for (uint32_t i = 0; i < 3; ++i) {
      const int64_t at = 1000 * session + 10 * i;
      ServedRow served =
          Served(11, 100 * (session + 1) + i, 80 * i, at + 1, at + 8);
      served.session = session + 1;
      Add(served);
      CalledRow called =
          Called(11, 10 * (session + 1) + i, 80 * i + 80, at, at + 9);
      called.session = 10 - session;  // in whatever order
      Add(called);
    }
  }
  Pairs expected;
  for (uint32_t session = 1; session <= 3; ++session) {
    for (uint32_t i = 0; i < 3; ++i) {
      expected[10 * session + i] = 100 * session + i;
    }
  }
  EXPECT_EQ(Join(), expected);
}

// The end of a body that nobody waited for was read with what came next.
TEST_F(JoiningTest, ARequestMayHaveBeenReadWithTheEndOfTheOneBefore) {
  Add(Served(11, 100, 0, 1, 15));
  Add(Served(11, 101, 4000, 16, 28));
  Add(Called(11, 1, 5000, 0, 15));
  Add(Called(11, 2, 10000, 15, 29));
  EXPECT_EQ(Join(), (Pairs{{1, 100}, {2, 101}}));
}

TEST_F(JoiningTest, AHandshakeComesBeforeAllRequests) {
  Add(Served(11, 100, 520, 11, 18));
  Add(Called(11, 1, 349, 0, 4));
  Add(Called(11, 2, 520, 4, 9));
  Add(Called(11, 3, 611, 10, 19));
  ASSERT_TRUE(exchanges_.served.Finish().ok());
  ASSERT_TRUE(exchanges_.named.Finish().ok());
  ASSERT_TRUE(exchanges_.called.Finish().ok());
  std::vector<bool> before;
  Joining joining(&exchanges_, scratch_);
  ASSERT_TRUE(joining
                  .ForEach([&](const JoinedCall& joined) {
                    before.push_back(joined.before);
                    EXPECT_EQ(joined.served != nullptr,
                              joined.call->request == 3);
                  })
                  .ok());
  EXPECT_EQ(before, (std::vector<bool>{true, true, false}));
}

// Their clocks say nothing; the bytes do.
TEST_F(JoiningTest, AnotherMachinesTimesAreNotCompared) {
  for (uint32_t i = 0; i < 3; ++i) {
    ServedRow row = Served(11, 100 + i, 80 * i, 5'000'000 + 10 * i + 1,
                           5'000'000 + 10 * i + 8);
    row.clock = 1;
    Add(row);
    Add(Called(11, 1 + i, 80 * i + 80, 10 * i, 10 * i + 9));
  }
  EXPECT_EQ(Join(), (Pairs{{1, 100}, {2, 101}, {3, 102}}));
}

TEST(PartsTest, SumToWhatTheCallTook) {
  ServedRow served = Served(11, 100, 0, 12, 52);
  served.queue_ns = 20 * kMs;
  served.exec_ns = 5 * kMs;
  served.io_ns = 15 * kMs;
  const CalledRow call = Called(11, 1, 80, 10, 55);
  const CallParts parts = PartsOf(call, served);
  EXPECT_EQ(parts.network_ns, 5 * kMs) << "2 ms there, 3 ms back";
  EXPECT_EQ(parts.queue_ns, 20 * kMs);
  EXPECT_EQ(parts.exec_ns, 5 * kMs);
  EXPECT_EQ(parts.io_ns, 15 * kMs);
  CalledRow late = call;  // The caller was busy until half of it was over.
  late.begin_ns = 32 * kMs;
  const CallParts half = PartsOf(late, served);
  EXPECT_EQ(half.network_ns, 3 * kMs);
  EXPECT_EQ(half.queue_ns, 10 * kMs);
  EXPECT_EQ(half.network_ns + half.queue_ns + half.exec_ns + half.io_ns,
            late.end_ns - late.begin_ns);
  served.clock = 1;
  served.ready_ns += 1000 * kMs;
  served.end_ns += 1000 * kMs;
  EXPECT_EQ(PartsOf(call, served).network_ns, 5 * kMs);
}

TEST_F(JoiningTest, NotOfSeveralThatOneReadHasBroughtWhereACallIsNotKnown) {
  Add(Served(11, 100, 0, 1, 4));
  Add(Served(11, 101, 80, 11, 14));  // pipelined
  Add(Served(11, 102, 80, 11, 16));
  Add(Served(11, 103, 240, 21, 24));
  Add(Called(11, 1, 80, 0, 5));
  Add(Called(11, 2, 240, 10, 17));
  Add(Called(11, 3, 320, 20, 25));
  EXPECT_EQ(Join(), (Pairs{{1, 100}, {2, 0}, {3, 103}}));
}

TEST_F(JoiningTest, OfSeveralThatOneReadHasBroughtInTheirOrder) {
  Add(Served(11, 100, 0, 1, 4));
  Add(Served(11, 101, 80, 11, 14));  // pipelined
  Add(Served(11, 102, 80, 11, 16));
  Add(Served(11, 103, 240, 21, 24));
  Add(Served(11, 104, 240, 21, 27));
  Add(Called(11, 1, 80, 0, 5));
  Add(Called(11, 2, 160, 9, 15));
  Add(Called(11, 3, 240, 9, 17));
  Add(Called(11, 3, 240, 9, 18));  // another part of its answer
  Add(Called(11, 4, 300, 20, 25));
  Add(Called(11, 5, 400, 20, 28));
  EXPECT_EQ(Join(), (Pairs{{1, 100}, {2, 101}, {3, 102}, {4, 103}, {5, 104}}));
}

TEST_F(JoiningTest, ByTheNumberOfTheStream) {
  const auto of_stream = [](auto row) {
    row.of_stream = 1;
    return row;
  };
  // Read and answered in another order than they were asked in.
  Add(of_stream(Served(11, 101, 3, 1, 9)));
  Add(of_stream(Served(11, 100, 1, 2, 5)));
  Add(of_stream(Called(11, 1, 1, 0, 6)));
  Add(of_stream(Called(11, 2, 3, 0, 10)));
  Add(of_stream(Called(11, 3, 5, 0, 10)));  // its records are missing
  Add(of_stream(Called(11, 4, 0, 0, 10)));  // which stream, is not known
  EXPECT_EQ(Join(), (Pairs{{1, 100}, {2, 101}, {3, 0}, {4, 0}}));
}

// Even names are those of a `traceparent`.
TEST_F(JoiningTest, ByTheirNameWhereTheConnectionIsAnother) {
  AddNamed(Served(/*link=*/900, 100, 0, 2, 5));
  // What lies between has tried twice.
  AddNamed(Served(/*link=*/902, 101, 0, 12, 13));
  AddNamed(Served(/*link=*/902, 102, 0, 14, 15));
  // Two callers have the name.
  AddNamed(Served(/*link=*/904, 103, 0, 22, 25));
  // It began after the answer was there.
  AddNamed(Served(/*link=*/906, 104, 0, 40, 41));
  Add(NamedAs(900, Called(0, 1, 80, 1, 6)));
  Add(NamedAs(902, Called(21, 2, 80, 11, 16)));
  Add(NamedAs(904, Called(22, 3, 80, 21, 26)));
  Add(NamedAs(904, Called(23, 4, 80, 21, 27)));
  Add(NamedAs(906, Called(24, 5, 80, 31, 36)));
  Add(NamedAs(908, Called(25, 6, 80, 31, 36)));
  EXPECT_EQ(Join(), (Pairs{{1, 100}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}}));
}

// Expect: 100-continue.
TEST_F(JoiningTest, AQuestionInTwoParts) {
  Add(Served(11, 100, 0, 1, 20));
  Add(Called(11, 1, 80, 0, 3));
  Add(Called(11, 1, 1080, 4, 21));
  Add(Called(11, 2, 1160, 21, 30));  // Its request is missing.
  EXPECT_EQ(Join(), (Pairs{{1, 100}, {2, 0}}));
}

// A session's settings, say, or tickets of TLS.
TEST_F(JoiningTest, WhatWasReadWithTheAnswerMayHaveComeBefore) {
  Add(Served(11, 100, 0, 10, 18));
  CalledRow call = Called(11, 1, 80, 0, 5);
  Add(call);
  EXPECT_EQ(Join(), (Pairs{{1, 0}}));
  call.read_ns = 20 * kMs;
  Exchanges other(scratch_);
  other.served.Add(Served(11, 100, 0, 10, 18));
  other.called.Add(call);
  EXPECT_EQ(Join(&other), (Pairs{{1, 100}}));
}

TEST_F(JoiningTest, ByTheConnectionBeforeTheName) {
  Add(Served(11, 100, 0, 1, 8));
  AddNamed(Served(900, 200, 0, 1, 8));
  Add(NamedAs(900, Called(11, 1, 80, 0, 9)));
  EXPECT_EQ(Join(), (Pairs{{1, 100}}));
}

}  // namespace
}  // namespace edgewise
