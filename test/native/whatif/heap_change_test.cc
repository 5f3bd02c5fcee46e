#include "whatif/prediction/heap_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace edgewise {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr float kRoom = 16 << 20;

// After each ms a collection that takes 100 us and 1 ns for each byte that
// survives: 100,000 for the first time, a share of them again.
LoopModel WithCollections(int count, float again) {
  LoopModel model;
  for (int i = 0; i < count; ++i) {
    const float first = 100'000 + static_cast<float>(i % 5) * 1000;
    const float promoted = first * again;
    model.collections.push_back({1e6, 100'000 + first + promoted});
    model.heaps.push_back({kRoom, first, promoted});
  }
  return model;
}

double SumOf(const std::vector<LoopPause>& pauses) {
  double ns = 0;
  for (const LoopPause& each : pauses) ns += each.ns;
  return ns;
}

TEST(HeapChangeTest, TheSameRoomChangesNothing) {
  LoopModel model = WithCollections(40, 0.2);
  const double before = SumOf(model.collections);
  std::vector<std::string> assumed;
  ASSERT_TRUE(ChangeSemiSpace(kRoom, &model, &assumed).ok());
  EXPECT_THAT(model.collections, SizeIs(40));
  EXPECT_THAT(model.collections,
              Each(Field(&LoopPause::after_ns, FloatNear(1e6, 1))));
  EXPECT_NEAR(SumOf(model.collections), before, before * 1e-5);
  EXPECT_THAT(assumed, SizeIs(2));
}

TEST(HeapChangeTest, FourTimesTheRoomIsAQuarterOfThem) {
  LoopModel model = WithCollections(40, 0);
  std::vector<std::string> assumed;
  ASSERT_TRUE(ChangeSemiSpace(4 * kRoom, &model, &assumed).ok());
  EXPECT_THAT(model.collections, SizeIs(10));
  EXPECT_THAT(model.collections,
              Each(Field(&LoopPause::after_ns, FloatNear(4e6, 2))));
  // What is in use at a time does not depend on the room.
  EXPECT_THAT(model.collections,
              Each(Field(&LoopPause::ns, FloatNear(202'000, 2100))));
}

TEST(HeapChangeTest, WhatDiesWithTimeGrowsLessThanTheRoom) {
  LoopModel model = WithCollections(40, 0.5);
  model.lasting = 0;
  std::vector<std::string> assumed;
  ASSERT_TRUE(ChangeSemiSpace(4 * kRoom, &model, &assumed).ok());
  EXPECT_THAT(model.collections, SizeIs(10));
  // Of 100,000 and half of that, and so on: 200,000 are alive at a time.
  EXPECT_THAT(model.collections,
              Each(Field(&LoopPause::ns, FloatNear(303'000, 6500))));
  EXPECT_THAT(assumed, SizeIs(1));
}

TEST(HeapChangeTest, WhatLastsGrowsWithTheRoom) {
  LoopModel model = WithCollections(40, 0.2);
  model.lasting = 1;
  std::vector<std::string> assumed;
  ASSERT_TRUE(ChangeSemiSpace(4 * kRoom, &model, &assumed).ok());
  // 100 us, 80,000 bytes that die, and 20,000 of each room for twice four.
  EXPECT_THAT(model.collections,
              Each(Field(&LoopPause::ns, FloatNear(343'000, 7000))));
}

TEST(HeapChangeTest, HalfTheRoomIsTwiceAsMany) {
  LoopModel model = WithCollections(40, 0);
  std::vector<std::string> assumed;
  ASSERT_TRUE(ChangeSemiSpace(kRoom / 2, &model, &assumed).ok());
  EXPECT_THAT(model.collections, SizeIs(80));
  EXPECT_THAT(model.collections,
              Each(Field(&LoopPause::after_ns, FloatNear(5e5, 1))));
}

TEST(HeapChangeTest, OtherCollectionsStayWhereTheyWere) {
  LoopModel model = WithCollections(40, 0);
  model.collections.insert(model.collections.begin() + 20, {5e5, 3e6});
  model.heaps.insert(model.heaps.begin() + 20, YoungHeap{});
  std::vector<std::string> assumed;
  ASSERT_TRUE(ChangeSemiSpace(4 * kRoom, &model, &assumed).ok());
  ASSERT_THAT(model.collections, SizeIs(11));
  double at_ns = 0;
  for (const LoopPause& each : model.collections) {
    at_ns += each.after_ns;
    if (each.ns == 3e6F) break;
  }
  EXPECT_NEAR(at_ns, 20.5e6, 100);
}

TEST(HeapChangeTest, TheLessIsPromotedTheRarerAreTheOthers) {
  LoopModel model = WithCollections(80, 0.5);
  for (int i = 8; i > 0; --i) {
    model.collections.insert(model.collections.begin() + i * 10, {0, 3e6});
    model.heaps.insert(model.heaps.begin() + i * 10, YoungHeap{});
  }
  std::vector<std::string> assumed;
  ASSERT_TRUE(ChangeSemiSpace(2 * kRoom, &model, &assumed).ok());
  // Of two rooms' 150,000 bytes a quarter is promoted, not half of each's.
  size_t others = 0;
  for (const YoungHeap& each : model.heaps) {
    others += each.semi_space < 0 ? 1 : 0;
  }
  EXPECT_EQ(others, 3u);
}

TEST(HeapChangeTest, OneRightAfterAnotherCountsToo) {
  LoopModel model = WithCollections(40, 0);
  for (size_t i = 1; i < 40; i += 2) model.collections[i].after_ns = 0;
  std::vector<std::string> assumed;
  ASSERT_TRUE(ChangeSemiSpace(4 * kRoom, &model, &assumed).ok());
  EXPECT_THAT(model.collections, SizeIs(10));
  EXPECT_THAT(model.collections,
              Each(Field(&LoopPause::after_ns, FloatNear(2e6, 2))));
}

TEST(HeapChangeTest, WithoutSizesItIsRefused) {
  LoopModel model = WithCollections(40, 0);
  for (YoungHeap& each : model.heaps) each = {};
  std::vector<std::string> assumed;
  const absl::Status status = ChangeSemiSpace(kRoom, &model, &assumed);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), HasSubstr("tells of 0 collections"));
}

TEST(HeapChangeTest, WhereTheCostOfAByteCannotBeToldItIsInProportion) {
  LoopModel model = WithCollections(40, 0.5);
  for (size_t i = 0; i < model.collections.size(); ++i) {
    model.collections[i].ns = i % 2 == 0 ? 200'000 : 150'000;
  }
  std::vector<std::string> assumed;
  ASSERT_TRUE(ChangeSemiSpace(2 * kRoom, &model, &assumed).ok());
  EXPECT_THAT(assumed, SizeIs(3));
  EXPECT_THAT(assumed[0], HasSubstr("about as much has survived each"));
  // 150,000 bytes survive one room, 187,500 two; each second one is due.
  EXPECT_THAT(model.collections, SizeIs(20));
  EXPECT_NEAR(SumOf(model.collections) / 20, 150'000 * 187.5 / 150, 2000);
}

}  // namespace
}  // namespace edgewise
