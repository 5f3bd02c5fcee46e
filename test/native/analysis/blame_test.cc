#include "analysis/graph/blame.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/graph/loop_timeline.h"

namespace edgewise {
namespace {

using CauseKey = std::tuple<int, uint32_t, int>;  // kind, route, type

struct Charge {
  double ns = 0;
  std::set<int> requests;
};

// Everything that the ledger does at once, told again the slow way: each wait
// walks over all pieces that it covers.
class SlowLedger {
 public:
  struct SlowPiece {
    int64_t begin_ns;
    int64_t end_ns;
    int owner;  // -1: nobody
    bool is_gc;
    uint8_t type;
    VmTimes vm;
  };

  void Wait(int request, int64_t from_ns, uint64_t first, uint64_t end) {
    for (uint64_t i = first; i < end; ++i) {
      const SlowPiece& piece = pieces[i];
      const int64_t ns = piece.end_ns - std::max(from_ns, piece.begin_ns);
      charges_.push_back({i, request, ns});
    }
  }

  std::map<CauseKey, Charge> Sum(const std::vector<uint32_t>& routes) const {
    std::map<CauseKey, Charge> sum;
    for (const auto& [i, request, ns] : charges_) {
      const SlowPiece& piece = pieces[i];
      CauseKey key;
      if (piece.is_gc) {
        key = {2, 0, piece.type};
      } else if (piece.owner < 0) {
        key = {1, 0, piece.type};
      } else {
        key = {0, routes[piece.owner], piece.type};
      }
      const VmTimes vm = piece.vm.Share(ns, piece.end_ns - piece.begin_ns);
      const int who = request;
      const auto charge = [&](const CauseKey& cause, int64_t part_ns) {
        sum[cause].ns += static_cast<double>(part_ns);
        sum[cause].requests.insert(who);
      };
      charge(key, ns - vm.jit_ns - vm.ic_ns);
      if (piece.vm.jit_ns > 0) charge({3, 0, 0}, vm.jit_ns);
      if (piece.vm.ic_ns > 0) charge({4, 0, 0}, vm.ic_ns);
    }
    return sum;
  }

  std::vector<SlowPiece> pieces;

 private:
  struct One {
    uint64_t piece;
    int request;
    int64_t ns;
  };
  std::vector<One> charges_;
};

class BlameTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  void Push(int64_t length_ns, int owner, bool is_gc, uint8_t type,
            VmTimes vm = {}) {
    const uint32_t number = owner < 0 ? 0 : owners_[owner];
    timeline_.Push(now_ns_, now_ns_ + length_ns, number, is_gc, type, vm);
    slow_.pieces.push_back(
        {now_ns_, now_ns_ + length_ns, owner, is_gc, type, vm});
    now_ns_ += length_ns;
  }

  std::map<CauseKey, Charge> Fast() const {
    std::map<CauseKey, Charge> sum;
    for (const Blocker& blocker : ledger_.Blockers()) {
      if (blocker.kind == Blocker::Kind::kLoop) continue;
      Charge& charge =
          sum[{static_cast<int>(blocker.kind), blocker.route, blocker.type}];
      charge.ns += blocker.queue_ns;
      for (uint64_t i = 0; i < blocker.requests; ++i) {
        charge.requests.insert(static_cast<int>(i));
      }
    }
    return sum;
  }

  void OpenOwners(int count, std::mt19937* random) {
    for (int i = 0; i < count; ++i) {
      owners_.push_back(ledger_.NewOwner());
      routes_.push_back(3 + (*random)() % 4);
    }
  }

  void CloseOwners(size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      ledger_.CloseOwner(owners_[i], routes_[i]);
    }
    ledger_.ReleaseClosed(timeline_.next());
  }

  // Pieces of nobody and of the owners from `first` on, and waits for them.
  void RandomSteps(int first, int end, std::mt19937* random) {
    const auto pick = [&](uint32_t below) { return (*random)() % below; };
    for (int step = 0; step < 400; ++step) {
      if (pick(4) == 0) now_ns_ += pick(50);
      const bool is_gc = pick(10) == 0;
      const int owner =
          pick(3) == 0 ? -1 : first + static_cast<int>(pick(end - first));
      const int64_t length_ns = 3 + pick(100);
      VmTimes vm;
      if (!is_gc && pick(3) == 0) vm.jit_ns = pick(length_ns / 2);
      if (!is_gc && pick(3) == 0) vm.ic_ns = pick(length_ns / 2);
      Push(length_ns, owner, is_gc, static_cast<uint8_t>(pick(3)), vm);
      if (pick(5) == 0) RandomRequest(random);
    }
  }

  // With up to three waits that do not overlap, and end here.
  void RandomRequest(std::mt19937* random) {
    const auto pick = [&](uint32_t below) { return (*random)() % below; };
    std::vector<Wait> waits;
    uint64_t end = timeline_.next();
    int64_t end_ns = now_ns_;
    ++requests_;
    for (uint32_t i = 0; i < 1 + pick(3); ++i) {
      const int64_t from_ns =
          std::max<int64_t>(1000, end_ns - static_cast<int64_t>(pick(1500)));
      const LoopTimeline::Occupied occupied =
          timeline_.Between(from_ns, 0, end);
      if (occupied.first < end) {
        waits.push_back({from_ns, occupied.first, end});
        slow_.Wait(requests_, from_ns, occupied.first, end);
      }
      if (occupied.first == 0) break;
      end = occupied.first - 1;
      end_ns = timeline_.At(end).begin_ns;
    }
    ledger_.AddRequest(waits, {}, {}, &timeline_);
  }

  BlameLedger ledger_;
  LoopTimeline timeline_{&ledger_};
  SlowLedger slow_;
  std::vector<uint32_t> owners_;
  std::vector<uint32_t> routes_;
  int64_t now_ns_ = 1000;
  int requests_ = 0;
};

TEST_P(BlameTest, AgreesWithWalkingEveryWait) {
  std::mt19937 random(GetParam());
  OpenOwners(12, &random);
  RandomSteps(0, 12, &random);
  CloseOwners(0, 12);
  timeline_.Flush();
  const auto expected = slow_.Sum(routes_);
  const auto found = Fast();
  for (const auto& [key, charge] : expected) {
    if (charge.ns == 0) continue;  // a share that was rounded down
    ASSERT_TRUE(found.contains(key));
    EXPECT_DOUBLE_EQ(found.at(key).ns, charge.ns);
    EXPECT_EQ(found.at(key).requests.size(), charge.requests.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BlameTest, ::testing::Range(0U, 40U));

class BlameBeyondWindowTest : public BlameTest {};

// Some pieces have left the window before their owner's route is known: no
// request is counted twice then, and none waits for nobody.
TEST_P(BlameBeyondWindowTest, CountsNoMoreRequestsThanThereAre) {
  std::mt19937 random(GetParam());
  OpenOwners(12, &random);
  RandomSteps(0, 12, &random);
  const uint64_t gone = random() % timeline_.next();
  while (timeline_.first() < gone) Push(1, -1, false, 9);
  CloseOwners(0, 6);
  RandomSteps(6, 12, &random);
  CloseOwners(6, 12);
  timeline_.Flush();
  const auto expected = slow_.Sum(routes_);
  const auto found = Fast();
  for (const auto& [key, charge] : expected) {
    if (charge.ns == 0) continue;
    ASSERT_TRUE(found.contains(key));
    EXPECT_DOUBLE_EQ(found.at(key).ns, charge.ns);
    EXPECT_LE(found.at(key).requests.size(), charge.requests.size());
    EXPECT_GE(found.at(key).requests.size(), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BlameBeyondWindowTest,
                         ::testing::Range(6U, 10U));

TEST_F(BlameTest, VmTimesAreNoPartOfTheEventsInWhichTheyWereSpent) {
  owners_ = {ledger_.NewOwner()};
  Push(100, 0, false, 3, {40, 20});
  Push(10, -1, true, 2);
  // One waits for all of it, the other for the last quarter of the event.
  ledger_.AddRequest(std::vector<Wait>{{1000, 0, 2}}, {}, {}, &timeline_);
  ledger_.AddRequest(std::vector<Wait>{{1075, 0, 2}}, {}, {}, &timeline_);
  ledger_.CloseOwner(owners_[0], 5);
  ledger_.ReleaseClosed(timeline_.next());
  timeline_.Flush();
  auto found = Fast();
  EXPECT_EQ(found.size(), 4);
  const auto expect = [&](CauseKey key, double ns) {
    EXPECT_EQ(found[key].ns, ns);
    EXPECT_EQ(found[key].requests.size(), 2);
  };
  expect({0, 5, 3}, 40 + 10);
  expect({2, 0, 2}, 10 + 10);
  expect({3, 0, 0}, 40 + 10);
  expect({4, 0, 0}, 20 + 5);
}

// The blocker's route is known only after its piece has left the window.
TEST_F(BlameTest, OwnerThatOutlivesTheWindow) {
  owners_ = {ledger_.NewOwner(), ledger_.NewOwner()};
  Push(10, 0, false, 3);
  Push(20, 1, false, 3);
  const std::vector<Wait> waits = {{1000, 0, 2}};
  ledger_.AddRequest(waits, {7, 2}, {3, 3}, &timeline_);
  timeline_.Flush();
  ledger_.CloseOwner(owners_[0], 5);
  ledger_.CloseOwner(owners_[1], 5);
  ledger_.ReleaseClosed(timeline_.next());
  const std::vector<Blocker> blockers = ledger_.Blockers();
  ASSERT_EQ(blockers.size(), 3);
  EXPECT_EQ(blockers[0].route, 5);
  EXPECT_EQ(blockers[0].queue_ns, 30);
  EXPECT_EQ(blockers[0].requests, 1);
  EXPECT_EQ(blockers[1].kind, Blocker::Kind::kLoop);
  EXPECT_EQ(blockers[1].queue_ns, 7);
  EXPECT_EQ(blockers[2].kind, Blocker::Kind::kWake);
  EXPECT_EQ(blockers[2].queue_ns, 3);
}

// The second piece is of the same route, and of a request that has ended: the
// one that waited for both was counted for the first.
TEST_F(BlameTest, ARequestThatStillWaitsIsCountedOnceForARoute) {
  owners_ = {ledger_.NewOwner(), ledger_.NewOwner()};
  Push(10, 0, false, 3);
  Push(20, 1, false, 3);
  ledger_.CloseOwner(owners_[1], 5);
  ledger_.AddRequest(std::vector<Wait>{{1000, 0, 2}}, {}, {}, &timeline_);
  while (timeline_.first() == 0) Push(1, -1, false, 9);
  ledger_.CloseOwner(owners_[0], 5);
  ledger_.ReleaseClosed(timeline_.next());
  timeline_.Flush();
  const std::vector<Blocker> blockers = ledger_.Blockers();
  ASSERT_EQ(blockers.size(), 1);
  EXPECT_EQ(blockers[0].queue_ns, 30);
  EXPECT_EQ(blockers[0].requests, 1);
}

// Numbers of owners are given out again only when nothing refers to them.
TEST_F(BlameTest, OwnersAreReusedWhenForgotten) {
  const uint32_t first = ledger_.NewOwner();
  timeline_.Push(0, 10, first, false, 0);
  ledger_.CloseOwner(first, 3);
  ledger_.ReleaseClosed(timeline_.next());
  const uint32_t second = ledger_.NewOwner();
  EXPECT_NE(second, first);
  ledger_.AddReference(second);
  timeline_.Push(10, 20, second, false, 0);
  timeline_.Flush();
  EXPECT_EQ(ledger_.NewOwner(), first);
  ledger_.CloseOwner(second, 4);
  ledger_.ReleaseClosed(timeline_.next());
  timeline_.Push(20, 30, 0, false, 0);
  timeline_.Flush();
  EXPECT_NE(ledger_.NewOwner(), second);
  EXPECT_EQ(ledger_.RouteOf(second), 4);
  ledger_.DropReference(second);
  EXPECT_EQ(ledger_.NewOwner(), second);
}

TEST(LoopTimelineTest, SumsMatchAWalkAndTheWindowSlides) {
  BlameLedger ledger;
  LoopTimeline timeline(&ledger);
  const uint64_t count = LoopTimeline::kWindow + 5000;
  const uint32_t owner = ledger.NewOwner();
  for (uint64_t i = 0; i < count; ++i) {
    const auto begin = static_cast<int64_t>(i * 10);
    timeline.Push(begin, begin + 6, i % 3 == 0 ? 0 : owner, i % 5 == 0, 1);
  }
  EXPECT_EQ(timeline.next(), count);
  EXPECT_EQ(timeline.first(), 5000);
  for (const int64_t back : {1, 3, 6, 10, 57, 12345, 9'999'999}) {
    const auto end_ns = static_cast<int64_t>(count * 10);
    const int64_t from_ns = end_ns - back;
    const auto sum = timeline.Between(from_ns, 0, count);
    int64_t busy = 0;
    int64_t gc = 0;
    int64_t unowned = 0;
    for (uint64_t i = static_cast<uint64_t>(from_ns) / 10; i < count; ++i) {
      const auto begin = static_cast<int64_t>(i * 10);
      const int64_t ns = begin + 6 - std::max(begin, from_ns);
      if (ns <= 0) continue;
      busy += ns;
      if (i % 5 == 0) gc += ns;
      if (i % 3 == 0) unowned += ns;
    }
    EXPECT_EQ(sum.busy_ns, busy) << back;
    EXPECT_EQ(sum.gc_ns, gc) << back;
    EXPECT_EQ(sum.unowned_ns, unowned) << back;
    EXPECT_EQ(sum.hidden_ns, 0) << back;
  }
  // Piece 5000 begins at 50,000: what lies before is not known any more.
  const auto hidden = timeline.Between(49'000, 0, 6000);
  EXPECT_EQ(hidden.hidden_ns, 1000);
  EXPECT_EQ(hidden.busy_ns, 6000);
}

// The pieces of the file before are gone, and this file's requests did not wait
// for them.
TEST(LoopTimelineTest, NothingIsHiddenBeforeAFilesFirstPiece) {
  BlameLedger ledger;
  LoopTimeline timeline(&ledger);
  timeline.Push(10, 20, 0, false, 0);
  timeline.Flush();
  timeline.Push(1000, 1010, 0, false, 0);
  const auto sum = timeline.Between(500, 0, timeline.next());
  EXPECT_EQ(sum.first, 1);
  EXPECT_EQ(sum.busy_ns, 10);
  EXPECT_EQ(sum.hidden_ns, 0);
}

TEST(LoopTimelineTest, EmptyPiecesAndEmptyWaits) {
  BlameLedger ledger;
  LoopTimeline timeline(&ledger);
  timeline.Push(10, 10, 0, false, 0);
  EXPECT_EQ(timeline.next(), 0);
  EXPECT_EQ(timeline.Between(5, 0, 0).busy_ns, 0);
  timeline.Push(10, 20, 0, false, 0);
  const auto after = timeline.Between(20, 0, 1);
  EXPECT_EQ(after.busy_ns, 0);
  EXPECT_EQ(after.first, 1);
}

}  // namespace
}  // namespace edgewise
