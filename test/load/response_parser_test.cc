#include "load/response_parser.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace edgewise::load {
namespace {

using Progress = ResponseParser::Progress;

// Feeds `text` in pieces of `piece` bytes; the result of the last feed.
Progress FeedIn(ResponseParser& parser, const std::string& text, size_t piece,
                size_t* total_consumed) {
  *total_consumed = 0;
  Progress progress = Progress::kNeedMore;
  for (size_t at = 0; at < text.size() && progress == Progress::kNeedMore;
       at += piece) {
    size_t consumed = 0;
    const std::string part = text.substr(at, piece);
    progress = parser.Feed(part, &consumed);
    *total_consumed += consumed;
    if (progress == Progress::kNeedMore) EXPECT_EQ(consumed, part.size());
  }
  return progress;
}

struct Case {
  const char* name;
  const char* text;
  bool head = false;
  int status = 200;
  const char* body = "";
  bool keep_alive = true;
};

const Case kCases[] = {
    {"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, 200,
     "hello"},
    {"empty", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"},
    {"noReason", "HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", false, 404},
    {"chunked",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
     "5\r\nhello\r\n1;ext=\"a\"\r\n \r\n0A\r\n0123456789\r\n0\r\n\r\n",
     false, 200, "hello 0123456789"},
    {"chunkedTrailers",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n"
     "3\r\nabc\r\n0\r\nX-Sum: 1\r\nX-Other: 2\r\n\r\n",
     false, 200, "abc"},
    {"chunkedWinsOverLength",
     "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n"
     "\r\n2\r\nok\r\n0\r\n\r\n",
     false, 200, "ok"},
    {"noContent", "HTTP/1.1 204 No Content\r\n\r\n", false, 204},
    {"notModified", "HTTP/1.1 304 Not Modified\r\nContent-Length: 120\r\n\r\n",
     false, 304},
    {"head", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true},
    {"headChunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
     true},
    {"close",
     "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 2\r\n\r\nab",
     false, 200, "ab", false},
    {"http10", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab", false, 200,
     "ab", false},
    {"http10KeepAlive",
     "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nab",
     false, 200, "ab", true},
    {"interim",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
     "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nz",
     false, 201, "z"},
    {"sameLengthTwice",
     "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nz",
     false, 200, "z"},
};

class WholeResponse : public testing::TestWithParam<Case> {};

// However the network cuts the bytes, the result is the same, and nothing that
// follows the response is taken.
TEST_P(WholeResponse, InPiecesOfAnySize) {
  const Case& expected = GetParam();
  const std::string text = expected.text;
  ResponseParser parser;
  for (size_t piece = 1; piece <= text.size() + 1; ++piece) {
    SCOPED_TRACE(absl::StrCat("pieces of ", piece));
    parser.Reset(expected.head, true);
    size_t consumed = 0;
    EXPECT_EQ(FeedIn(parser, text, piece, &consumed), Progress::kDone);
    EXPECT_EQ(consumed, text.size());
    EXPECT_EQ(parser.status(), expected.status);
    EXPECT_EQ(std::string(parser.body()), expected.body);
    EXPECT_EQ(parser.body_bytes(), std::string(expected.body).size());
    EXPECT_EQ(parser.keep_alive(), expected.keep_alive);
  }
  parser.Reset(expected.head, true);
  size_t consumed = 0;
  EXPECT_EQ(parser.Feed(text + "HTTP/1.1 500", &consumed), Progress::kDone);
  EXPECT_EQ(consumed, text.size());
}

TEST_P(WholeResponse, CutShortIsAnError) {
  const std::string text = GetParam().text;
  for (size_t length = 0; length < text.size(); ++length) {
    ResponseParser parser;
    parser.Reset(GetParam().head, true);
    size_t consumed = 0;
    ASSERT_EQ(parser.Feed(text.substr(0, length), &consumed),
              Progress::kNeedMore)
        << length;
    EXPECT_EQ(parser.FinishAtClose(), Progress::kError) << length;
    EXPECT_FALSE(parser.error().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WholeResponse, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(ResponseParser, BodyUntilClose) {
  ResponseParser parser;
  parser.Reset(false, true);
  size_t consumed = 0;
  EXPECT_EQ(parser.Feed("HTTP/1.1 200 OK\r\n\r\nsome", &consumed),
            Progress::kNeedMore);
  EXPECT_EQ(parser.Feed(" text", &consumed), Progress::kNeedMore);
  EXPECT_EQ(parser.FinishAtClose(), Progress::kDone);
  EXPECT_EQ(std::string(parser.body()), "some text");
  EXPECT_FALSE(parser.keep_alive());
}

TEST(ResponseParser, KeepAliveTimeoutAndHeaders) {
  ResponseParser parser;
  parser.Reset(false, false);
  size_t consumed = 0;
  EXPECT_EQ(parser.Feed("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=100\r\n"
                        "Location:  /item/7 \r\nContent-Length: 0\r\n\r\n",
                        &consumed),
            Progress::kDone);
  EXPECT_EQ(parser.keep_alive_timeout_s(), 5);
  EXPECT_EQ(std::string(parser.Header("location").value_or("absent")),
            "/item/7");
  EXPECT_FALSE(parser.Header("loc").has_value());
}

TEST(ResponseParser, BodyIsKeptOnlyWhenAsked) {
  ResponseParser parser;
  parser.Reset(false, false);
  size_t consumed = 0;
  EXPECT_EQ(
      parser.Feed("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", &consumed),
      Progress::kDone);
  EXPECT_EQ(parser.body_bytes(), 3u);
  EXPECT_TRUE(parser.body().empty());
}

TEST(ResponseParser, RefusesWhatIsNotHttp) {
  const std::string bad[] = {
      "SSH-2.0-OpenSSH_9.2\r\n\r\n",
      "HTTP/2 200\r\n\r\n",
      "HTTP/1.1 20 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1 2\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
  };
  for (const std::string& text : bad) {
    ResponseParser parser;
    parser.Reset(false, true);
    size_t consumed = 0;
    EXPECT_EQ(parser.Feed(text, &consumed), Progress::kError) << text;
    EXPECT_FALSE(parser.error().empty()) << text;
  }
  ResponseParser parser;
  parser.Reset(false, true);
  size_t consumed = 0;
  const std::string endless(ResponseParser::kMaxHeaderBytes + 1, 'x');
  EXPECT_EQ(parser.Feed(endless, &consumed), Progress::kError);
}

}  // namespace
}  // namespace edgewise::load
