#include "trace/trace_context.h"

#include <gtest/gtest.h>

#include <string>

namespace edgewise {
namespace {

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char kParent[] = "00f067aa0ba902b7";

std::string Header(const std::string& version, const std::string& trace,
                   const std::string& parent, const std::string& flags) {
  return version + "-" + trace + "-" + parent + "-" + flags;
}

TEST(TraceContextTest, ReadsIdsAndFlags) {
  const auto context = ParseTraceparent(Header("00", kTrace, kParent, "01"));
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->TraceId(), kTrace);
  EXPECT_EQ(context->ParentId(), kParent);
  EXPECT_EQ(context->flags, 1);
}

TEST(TraceContextTest, OfALaterVersionReadsWhatThisOneHas) {
  for (const char* const more : {"", "-what-will-come"}) {
    const auto context =
        ParseTraceparent(Header("cc", kTrace, kParent, "01") + more);
    ASSERT_TRUE(context.has_value()) << more;
    EXPECT_EQ(context->TraceId(), kTrace);
  }
}

TEST(TraceContextTest, RefusesWhatIsNotValid) {
  const std::string good = Header("00", kTrace, kParent, "01");
  const std::string bad[] = {
      "",
      "00",
      good.substr(0, good.size() - 1),
      good + "-more",
      good + "x",
      Header("ff", kTrace, kParent, "01"),
      Header("cc", kTrace, kParent, "01") + "x",
      Header("0g", kTrace, kParent, "01"),
      Header("00", std::string(32, '0'), kParent, "01"),
      Header("00", kTrace, std::string(16, '0'), "01"),
      Header("00", "4BF92F3577B34DA6A3CE929D0E0E4736", kParent, "01"),
      Header("00", kTrace, "00f067aa0ba902b ", "01"),
      Header("00", kTrace, kParent, "0x"),
      "00_" + good.substr(3),
      std::string(55, '-'),
  };
  for (const std::string& header : bad) {
    EXPECT_FALSE(ParseTraceparent(header).has_value()) << header;
  }
}

TEST(TraceContextTest, ARecordHoldsIt) {
  const auto context = ParseTraceparent(Header(
      "00", "7f800001ffc00001ffffffff7fa00001", "fedcba9876543210", "ff"));
  ASSERT_TRUE(context.has_value());
  Record record{};
  PutTraceContext(*context, 77, &record);
  EXPECT_EQ(record.aux, 77u);
  const auto read = TraceContextOf(record);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->TraceId(), context->TraceId());
  EXPECT_EQ(read->ParentId(), context->ParentId());
  EXPECT_EQ(read->flags, 0xff);
  EXPECT_FALSE(TraceContextOf(Record{}).has_value());
}

TEST(TraceContextTest, ARequestsIdIsAHashOfIt) {
  const auto one = ParseCallersName("", "8d7e-1");
  const auto other = ParseCallersName("00-not valid", "8d7e-2");
  ASSERT_TRUE(one.has_value());
  ASSERT_TRUE(other.has_value());
  EXPECT_FALSE(one->IsTraced());
  EXPECT_NE(one->Key(), other->Key());
  EXPECT_EQ(one->Key(), ParseCallersName("", "8d7e-1")->Key());
  EXPECT_FALSE(TraceContext::IsTracedKey(one->Key()));
  Record record{};
  PutTraceContext(*one, 77, &record);
  const auto read = TraceContextOf(record);
  ASSERT_TRUE(read.has_value());
  EXPECT_FALSE(read->IsTraced());
  EXPECT_EQ(read->Key(), one->Key());
}

TEST(TraceContextTest, ATraceparentSaysMoreThanARequestsId) {
  const std::string header = Header("00", kTrace, kParent, "01");
  const auto both = ParseCallersName(header, "8d7e-1");
  ASSERT_TRUE(both.has_value());
  EXPECT_TRUE(both->IsTraced());
  EXPECT_TRUE(TraceContext::IsTracedKey(both->Key()));
  EXPECT_EQ(both->Key(), ParseTraceparent(header)->Key());
}

TEST(TraceContextTest, NoNameOrOneThatIsTooLongIsNone) {
  EXPECT_FALSE(ParseCallersName("", "").has_value());
  EXPECT_TRUE(ParseCallersName("", std::string(256, 'x')).has_value());
  EXPECT_FALSE(ParseCallersName("", std::string(257, 'x')).has_value());
}

}  // namespace
}  // namespace edgewise
