#include "poke/debt.h"

#include <gtest/gtest.h>

namespace edgewise {
namespace {

constexpr int64_t kPauseNs = 1000;

TEST(DebtTest, EachRoundIsOwedOnce) {
  Debt debt(kPauseNs);
  EXPECT_TRUE(debt.Begin(1));
  EXPECT_FALSE(debt.Begin(1));
  EXPECT_TRUE(debt.Begin(2));
  EXPECT_FALSE(debt.Begin(1));
  EXPECT_EQ(debt.rounds(), 2u);
  EXPECT_EQ(debt.owed_ns(), 2 * kPauseNs);
}

TEST(DebtTest, ARoundThatNobodyToldOfIsOwedAsWell) {
  Debt debt(kPauseNs);
  EXPECT_TRUE(debt.Begin(3));
  EXPECT_EQ(debt.owed_ns(), 3 * kPauseNs);
}

TEST(DebtTest, WhatWasPausedForTooLongIsTakenOffTheNextRound) {
  Debt debt(kPauseNs);
  debt.Begin(1);
  debt.Pay(kPauseNs + 50);
  EXPECT_EQ(debt.owed_ns(), -50);
  debt.Begin(2);
  EXPECT_EQ(debt.owed_ns(), kPauseNs - 50);
  debt.Pay(kPauseNs - 50);
  EXPECT_EQ(debt.owed_ns(), 0);
  EXPECT_EQ(debt.paid_ns(), 2 * kPauseNs);
  EXPECT_EQ(debt.pauses(), 2u);
  EXPECT_EQ(debt.longest_ns(), kPauseNs + 50);
}

}  // namespace
}  // namespace edgewise
