// Calls that their connection does not tell: by their names, and by the bytes.

#include "test/native/across/joining_kit.h"

namespace edgewise {
namespace {

// The front end's request 1 was told a name, which it gives all that it asks
// for, and so do they. 1: connections to a proxy.
class RequestIdTest : public JoiningTest {
 protected:
  static constexpr uint64_t kName = 901;

  ServedRow ServedAs(uint32_t file, uint32_t request, int64_t ready_ms,
                     int64_t end_ms) {
    ServedRow row = Served(kName, request, 0, ready_ms, end_ms);
    row.file = file;
    begins_ns_[{file, request}] = row.begin_ns;
    return row;
  }
  CalledRow CalledAs(uint32_t file, uint32_t request, int64_t begin_ms,
                     int64_t end_ms) {
    CalledRow row = NamedAs(kName, Called(1, request, 80, begin_ms, end_ms));
    row.file = file;
    row.caller_begin_ns = begins_ns_[{file, request}];
    return row;
  }

 private:
  std::map<std::pair<uint32_t, uint32_t>, int64_t> begins_ns_;
};

TEST_F(RequestIdTest, IsNotItsOwn) {
  AddNamed(ServedAs(1, 1, 0, 100));
  Add(CalledAs(1, 1, 10, 20));  // Who answers is not recorded.
  EXPECT_EQ(Join(), (Pairs{{1, 0}}));
  EXPECT_EQ(candidates_[1], 0u);
}

TEST_F(RequestIdTest, IsThatWithinTheCall) {
  AddNamed(ServedAs(1, 1, 0, 100));
  AddNamed(ServedAs(2, 20, 12, 18));
  AddNamed(ServedAs(3, 30, 33, 37));
  Add(CalledAs(1, 1, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 20}}));
  EXPECT_EQ(by_[1], JoinedBy::kRequestId);
}

// One that has written lost the processor before it told.
TEST_F(RequestIdTest, IsThatWhichEndsALittleLater) {
  AddNamed(ServedAs(2, 20, 12, 23));
  Add(CalledAs(1, 1, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 20}}));
}

TEST_F(RequestIdTest, IsNotThatWhichEndsMuchLater) {
  AddNamed(ServedAs(2, 20, 12, 29));
  Add(CalledAs(1, 1, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 0}}));
}

// Both ends of its own lost the processor: it may be that, or the other.
TEST_F(RequestIdTest, IsNotTheOnlyOneThatIsInTime) {
  AddNamed(ServedAs(2, 20, 1, 42));
  AddNamed(ServedAs(3, 30, 13, 19));
  Add(CalledAs(1, 1, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 0}}));
  EXPECT_EQ(candidates_[1], 2u);
}

// The front end has asked service 2 on a connection, which asks by a proxy.
TEST_F(RequestIdTest, IsNoneThatHasAskedForTheCaller) {
  AddNamed(ServedAs(1, 1, 8, 23));
  ServedRow direct = Served(77, 20, 0, 9, 22);
  direct.file = 2;
  Add(direct);
  CalledRow known = NamedAs(kName, Called(77, 1, 80, 8, 23));
  known.file = 1;
  Add(known);
  AddNamed(ServedAs(3, 30, 12, 18));
  Add(CalledAs(2, 20, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 20}, {20, 30}}));
}

// Three services in a row, each a millisecond longer than who it asks.
TEST_F(RequestIdTest, IsTheNextOfAFastChain) {
  AddNamed(ServedAs(1, 1, 7, 23));
  AddNamed(ServedAs(2, 20, 9, 21));
  AddNamed(ServedAs(3, 30, 11, 19));
  Add(CalledAs(1, 1, 8, 22));
  Add(CalledAs(2, 20, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 20}, {20, 30}}));
}

// Its request was told to be ready before that of who has asked for it. Threads
// have begun with it later.
TEST_F(RequestIdTest, IsWhatBeganLaterWhereItWasReadyBefore) {
  AddNamed(ServedAs(1, 1, 7, 56));
  ServedRow early = ServedAs(2, 20, 11, 42);
  early.ready_ns = 6 * kMs;
  AddNamed(early);
  AddNamed(ServedAs(3, 30, 27, 34));
  Add(CalledAs(1, 1, 10, 50));
  Add(CalledAs(2, 20, 27, 40));
  EXPECT_EQ(Join(), (Pairs{{1, 20}, {20, 30}}));
}

// The second one's end was told later than that of who has asked for it.
TEST_F(RequestIdTest, IsNotWhoAsksWhereTheAnswerEndsLate) {
  AddNamed(ServedAs(1, 1, 7, 23));
  AddNamed(ServedAs(2, 20, 9, 24));
  AddNamed(ServedAs(3, 30, 11, 19));
  Add(CalledAs(1, 1, 8, 22));
  Add(CalledAs(2, 20, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 20}, {20, 30}}));
}

// The other one asks somebody who is not recorded.
TEST_F(RequestIdTest, NobodyAsksForWhoHasAskedForHim) {
  ServedRow other = ServedAs(2, 20, 1'000'011, 1'000'021);
  other.clock = 1;
  AddNamed(ServedAs(1, 1, 8, 20));
  AddNamed(other);
  Add(CalledAs(1, 1, 9, 20));
  CalledRow further = CalledAs(2, 20, 1'000'008, 1'000'021);
  further.clock = 1;
  Add(further);
  EXPECT_EQ(Join(), (Pairs{{1, 0}, {20, 0}}));
}

// Its own is late, so it may be another's.
TEST_F(RequestIdTest, IsNotAnotherThatLiesWithin) {
  AddNamed(ServedAs(2, 20, 12, 29));
  AddNamed(ServedAs(3, 30, 13, 19));
  Add(CalledAs(1, 1, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 0}}));
  EXPECT_EQ(candidates_[1], 2u);
}

TEST_F(RequestIdTest, IsNotThatWhichAnotherServiceHasAskedFor) {
  AddNamed(ServedAs(1, 1, 0, 100));
  AddNamed(ServedAs(2, 20, 12, 48));
  AddNamed(ServedAs(3, 30, 33, 37));
  Add(CalledAs(1, 1, 10, 50));
  Add(CalledAs(2, 20, 32, 38));
  EXPECT_EQ(Join(), (Pairs{{1, 20}, {20, 30}}));
}

TEST_F(RequestIdTest, OfTwoAtOnceNothingIsKnown) {
  AddNamed(ServedAs(1, 1, 0, 100));
  AddNamed(ServedAs(2, 20, 12, 18));
  AddNamed(ServedAs(3, 30, 13, 19));
  Add(CalledAs(1, 1, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 0}}));
  EXPECT_EQ(candidates_[1], 2u);
}

// It came directly from a service that is recorded, whose call was not waited
// for.
TEST_F(RequestIdTest, IsNotThatOfAKnownConnection) {
  ServedRow direct = ServedAs(2, 20, 12, 18);
  direct.via = 77;
  exchanges_.opened.insert(77);
  AddNamed(direct);
  Add(CalledAs(1, 1, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 0}}));
}

TEST_F(RequestIdTest, ByAnotherClockItIsNoLongerThanTheCall) {
  ServedRow longer = ServedAs(2, 20, 1'000'012, 1'000'030);
  ServedRow within = ServedAs(3, 30, 2'000'000, 2'000'008);
  longer.clock = 1;
  within.clock = 2;
  AddNamed(longer);
  AddNamed(within);
  Add(CalledAs(1, 1, 10, 20));
  EXPECT_EQ(Join(), (Pairs{{1, 30}}));
}

// Connections 5 .. lead to what passes bytes on, 105 .. come from there.
class RelayTest : public JoiningTest {
 protected:
  // Messages of one size, from a moment on, each 10 ms after the one before it.
  void AddCalls(uint64_t link, uint32_t first, int64_t from_ms,
                uint32_t bytes = 80, uint32_t count = 7) {
    for (uint32_t i = 0; i < count; ++i) {
      CalledRow row = Called(link, first + i, bytes * (i + 1), from_ms + 10 * i,
                             from_ms + 10 * i + 6);
      row.session = static_cast<uint32_t>(link);
      Add(row);
    }
  }
  void AddRequests(uint64_t link, uint32_t first, int64_t from_ms,
                   uint32_t bytes = 80, uint16_t clock = 0) {
    for (uint32_t i = 0; i < 7; ++i) {
      ServedRow row = Served(link, first + i, bytes * i, from_ms + 10 * i + 1,
                             from_ms + 10 * i + 5);
      row.session = static_cast<uint32_t>(link);
      row.clock = clock;
      Add(row);
    }
  }
  // Of calls from `first` on.
  static Pairs Each(uint32_t first, uint32_t request) {
    Pairs pairs;
    for (uint32_t i = 0; i < 7; ++i) {
      pairs[first + i] = request == 0 ? 0 : request + i;
    }
    return pairs;
  }
  static Pairs Both(Pairs one, const Pairs& other) {
    one.insert(other.begin(), other.end());
    return one;
  }
};

TEST_F(RelayTest, OfTheSameBytesAtTheSameTime) {
  AddCalls(5, 10, 0);
  AddCalls(6, 20, 3);
  AddRequests(105, 100, 0);
  AddRequests(106, 200, 3);
  EXPECT_EQ(Join(), Both(Each(10, 100), Each(20, 200)));
  EXPECT_EQ(by_[10], JoinedBy::kBytes);
}

TEST_F(RelayTest, NotOfOtherBytes) {
  AddCalls(5, 10, 0);
  AddRequests(105, 100, 0, 81);
  EXPECT_EQ(Join(), Each(10, 0));
  EXPECT_EQ(candidates_[10], 0u);
}

TEST_F(RelayTest, NotAtOtherTimes) {
  AddCalls(5, 10, 0);
  AddRequests(105, 100, 500);
  EXPECT_EQ(Join(), Each(10, 0));
}

// A gateway that passes on what it was asked: its own requests are longer than
// its calls.
TEST_F(RelayTest, NotOfWhatHasAsked) {
  for (uint32_t i = 0; i < 7; ++i) {
    Add(Served(105, 100 + i, 80 * i, 10 * i, 10 * i + 9));
  }
  AddCalls(5, 10, 2);
  EXPECT_EQ(Join(), Each(10, 0));
}

TEST_F(RelayTest, NotOfSeveralThatFit) {
  AddCalls(5, 10, 0);
  AddRequests(105, 100, 0);
  AddRequests(106, 200, 0);
  EXPECT_EQ(Join(), Each(10, 0));
  EXPECT_EQ(candidates_[10], 2u);
}

TEST_F(RelayTest, NotOfTwoQuestions) {
  AddCalls(5, 10, 0);
  CalledRow again = Called(5, 17, 640, 70, 76);
  again.session = 5;
  Add(again);
  AddRequests(105, 100, 0);
  Pairs found = Join();
  EXPECT_EQ(found[17], 0u) << "its request is missing";
  found.erase(17);
  EXPECT_EQ(found, Each(10, 100));
}

TEST_F(RelayTest, NotOfOneThatAKnownServiceHasOpened) {
  AddCalls(5, 10, 0);
  AddRequests(105, 100, 0);
  exchanges_.opened.insert(105);
  EXPECT_EQ(Join(), Each(10, 0));
}

TEST_F(RelayTest, NotOfFewMessages) {
  AddCalls(5, 10, 0, 80, 4);
  AddRequests(105, 100, 0);
  EXPECT_EQ(Join(), (Pairs{{10, 0}, {11, 0}, {12, 0}, {13, 0}}));
}

// Of several sizes the bytes tell, and every answer may be told of late.
TEST_F(RelayTest, OfManySizesWhereAllAreLate) {
  for (const uint32_t step : {7u, 11u}) {
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < 7; ++i) {
      ServedRow served =
          Served(100 + step, 100 * step + i, bytes, 10 * i + 1, 10 * i + 9);
      served.session = 100 + step;
      bytes += 80 + step * (i % 3);
      CalledRow call = Called(step, 10 * step + i, bytes, 10 * i, 10 * i + 6);
      call.session = step;
      Add(served);
      Add(call);
    }
  }
  const auto found = Join();
  for (uint32_t i = 0; i < 7; ++i) {
    EXPECT_EQ(found.at(70 + i), 700 + i);
    EXPECT_EQ(found.at(110 + i), 1100 + i);
  }
}

// Who has written lost the processor, now and then, before it told.
TEST_F(RelayTest, OfWhichSomeAreLate) {
  AddCalls(5, 10, 0);
  AddCalls(6, 20, 3);
  AddRequests(106, 200, 3);
  for (uint32_t i = 0; i < 7; ++i) {
    const int64_t late_ms = i % 3 == 1 ? 3 : 0;
    ServedRow row =
        Served(105, 100 + i, 80 * i, 10 * i + 1, 10 * i + 5 + late_ms);
    row.session = 105;
    Add(row);
  }
  EXPECT_EQ(Join(), Both(Each(10, 100), Each(20, 200)));
}

// Its own other end is late in each: the one that fits is another's.
TEST_F(RelayTest, NotOfOneThatFitsBetterThanItsOwn) {
  AddCalls(5, 10, 0);
  for (uint32_t i = 0; i < 7; ++i) {
    const int64_t late_ms = i % 3 == 1 ? 0 : 3;
    ServedRow row =
        Served(105, 100 + i, 80 * i, 10 * i + 1, 10 * i + 5 + late_ms);
    row.session = 105;
    Add(row);
  }
  AddRequests(106, 200, 0);
  EXPECT_EQ(Join(), Each(10, 0));
  EXPECT_EQ(candidates_[10], 2u);
}

// One that is ahead by as much in each.
TEST_F(RelayTest, ByAnotherClock) {
  AddCalls(5, 10, 0);
  AddRequests(105, 100, 7'000'000, 80, 1);
  EXPECT_EQ(Join(), Each(10, 100));
}

TEST_F(RelayTest, NotByAnotherClockOfAnotherRhythm) {
  AddCalls(5, 10, 0);
  for (uint32_t i = 0; i < 7; ++i) {
    ServedRow row = Served(105, 100 + i, 80 * i, 7'000'000 + 17 * i,
                           7'000'000 + 17 * i + 4);
    row.clock = 1;
    Add(row);
  }
  EXPECT_EQ(Join(), Each(10, 0));
}

}  // namespace
}  // namespace edgewise
