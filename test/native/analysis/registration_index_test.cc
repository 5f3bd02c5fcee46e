#include "analysis/builder/registration_index.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace edgewise {
namespace {

bool Alive(const RegistrationIndex::Entry&) { return true; }

TEST(RegistrationIndexTest, IntervalsExcludeTheirBeginning) {
  RegistrationIndex index;
  index.Append({10, 20, 3, {1, 1}, 7}, Alive);
  index.Append({25, 26, 4, {2, 1}, 8}, Alive);
  EXPECT_EQ(index.FindId(10, Alive), nullptr);
  EXPECT_EQ(index.FindId(11, Alive)->node, 7);
  EXPECT_EQ(index.FindId(20, Alive)->node, 7);
  EXPECT_EQ(index.FindId(21, Alive), nullptr);
  EXPECT_EQ(index.FindId(25, Alive), nullptr);
  EXPECT_EQ(index.FindId(26, Alive)->node, 8);
  EXPECT_EQ(index.FindId(27, Alive), nullptr);
  EXPECT_EQ(index.FindId(UINT64_MAX, Alive), nullptr);
}

TEST(RegistrationIndexTest, SlicesWithoutIdsOwnNone) {
  RegistrationIndex index;
  index.Append({10, 20, 3, {1, 1}, 7}, Alive);
  index.Append({20, 20, 4, {2, 1}, 8}, Alive);
  index.Append({20, 25, 5, {3, 1}, 9}, Alive);
  EXPECT_EQ(index.FindId(20, Alive)->node, 7);
  EXPECT_EQ(index.FindId(21, Alive)->node, 9);
  EXPECT_EQ(index.FindSequence(4, Alive)->node, 8);
}

TEST(RegistrationIndexTest, OfSharedNumbersTheLastLivingOwner) {
  RegistrationIndex index;
  for (uint32_t i = 1; i <= 5; ++i) index.Append({9, 10, 3, {i, 1}, i}, Alive);
  EXPECT_EQ(index.FindId(10, Alive)->node, 5);
  EXPECT_EQ(index.FindSequence(3, Alive)->node, 5);
  EXPECT_EQ(index.FindSequence(2, Alive), nullptr);
  EXPECT_EQ(index.FindSequence(4, Alive), nullptr);
  const auto but_last = [](const RegistrationIndex::Entry& entry) {
    return entry.node != 5;
  };
  EXPECT_EQ(index.FindId(10, but_last)->node, 4);
}

// Against a plain list, with entries dying at random, numbers near and far.
TEST(RegistrationIndexTest, AgreesWithAPlainSearch) {
  for (uint32_t seed = 0; seed < 5; ++seed) {
    std::mt19937 random(seed);
    RegistrationIndex index;
    std::vector<RegistrationIndex::Entry> all;
    std::vector<bool> dead;
    const auto alive = [&](const RegistrationIndex::Entry& entry) {
      return !dead[entry.node];
    };
    uint64_t number = random() % 1000;
    for (uint32_t i = 0; i < 20'000; ++i) {
      number += random() % 4;
      if (random() % 1000 == 0) number += random() % 100'000;
      const uint64_t after = number;
      number += 1 + random() % 20;
      all.push_back({after, number, 2 * i + 10, {i, 1}, i});
      dead.push_back(false);
      index.Append(all.back(), alive);
      // Most die young.
      for (int kill = 0; kill < 2; ++kill) {
        const uint32_t age = random() % 100;
        if (age <= i && random() % 10 != 0) dead[i - age] = true;
      }
      if (i % 7 != 0) continue;
      const uint64_t target =
          random() % 10 == 0
              ? random() % (number + 10)
              : number - std::min<uint64_t>(number, random() % 400);
      const auto at = std::partition_point(
          all.begin(), all.end(),
          [&](const auto& entry) { return entry.last_id < target; });
      const bool owned = at != all.end() && at->after_id < target && alive(*at);
      const RegistrationIndex::Entry* found = index.FindId(target, alive);
      ASSERT_EQ(found != nullptr, owned) << target;
      if (owned) {
        ASSERT_EQ(found->node, at->node);
      }
      const uint32_t node = random() % (i + 1);
      found = index.FindSequence(2 * node + 10, alive);
      ASSERT_EQ(found != nullptr, !dead[node]);
      ASSERT_EQ(index.FindSequence(2 * node + 11, alive), nullptr);
    }
    EXPECT_LT(index.size(), 15'000);
  }
}

// Thousands of requests begun within one slice must not be walked over for
// each number after theirs.
TEST(RegistrationIndexTest, ManySharedNumbersStayCheap) {
  RegistrationIndex index;
  for (uint32_t i = 0; i < 100'000; ++i)
    index.Append({7, 8, 3, {i, 1}, i}, Alive);
  index.Append({8, 9, 4, {1, 2}, 1}, Alive);
  uint64_t found = 0;
  for (int i = 0; i < 100'000; ++i) {
    found += index.FindId(9, Alive)->request.generation;
    found += index.FindSequence(4, Alive)->request.generation;
  }
  EXPECT_EQ(found, 400'000);
}

}  // namespace
}  // namespace edgewise
