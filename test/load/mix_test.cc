#include "load/mix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "load/request_source.h"

namespace edgewise::load {
namespace {

Mix MustParse(const std::string& json) {
  auto mix = ParseMix(json);
  EXPECT_TRUE(mix.ok()) << mix.status();
  return mix.ok() ? *mix : SingleGet("/");
}

std::string Next(RequestSource& source) {
  RequestSource::Request request;
  source.Next(&request);
  return request.bytes;
}

// A parsed response to hand to Accept().
ResponseParser Response(int status, const std::string& body,
                        const std::string& headers = "") {
  ResponseParser parser;
  parser.Reset(false, true);
  size_t consumed = 0;
  const auto progress = parser.Feed(
      absl::StrCat("HTTP/1.1 ", status, " X\r\n", headers,
                   "Content-Length: ", body.size(), "\r\n\r\n", body),
      &consumed);
  EXPECT_EQ(progress, ResponseParser::Progress::kDone);
  return parser;
}

TEST(Mix, RendersWholeRequests) {
  const Mix mix = MustParse(R"({
    "variables": {"n": {"counter": 5}},
    "requests": [{"name": "add", "method": "POST", "path": "/a/{{n}}?x={{n}}",
      "headers": {"X-Id": "<{{ n }}>"}, "json": {"id": "{{n}}", "l": [1]}}]})");
  RequestSource source(mix, "h:1", "/base", 1);
  EXPECT_EQ(Next(source),
            "POST /base/a/5?x=5 HTTP/1.1\r\nHost: h:1\r\nX-Id: <5>\r\n"
            "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n"
            "{\"id\":\"5\",\"l\":[1]}");
  EXPECT_TRUE(absl::StartsWith(Next(source), "POST /base/a/6?x=6 "));
}

TEST(Mix, BodylessRequestsSayWhatTheirMethodNeeds) {
  const Mix get = SingleGet("/x");
  RequestSource source(get, "h", "", 1);
  EXPECT_EQ(Next(source), "GET /x HTTP/1.1\r\nHost: h\r\n\r\n");
  const Mix post =
      MustParse(R"({"requests": [{"method": "POST", "path": "/"}]})");
  RequestSource posts(post, "h", "", 1);
  EXPECT_TRUE(absl::StrContains(Next(posts), "\r\nContent-Length: 0\r\n\r\n"));
}

TEST(Mix, ValuesAreEscapedForTheirPlace) {
  const Mix mix = MustParse(R"({
    "variables": {"v": {"choice": ["a \"/?\n\\b"]}},
    "requests": [{"path": "/{{v}}", "headers": {"X": "{{v}}"},
                  "json": {"v": "{{v}}"}}]})");
  RequestSource source(mix, "h", "", 1);
  EXPECT_EQ(Next(source),
            "GET /a%20%22/?%0A%5Cb HTTP/1.1\r\nHost: h\r\n"
            "X: a \"/? \\b\r\nContent-Type: application/json\r\n"
            "Content-Length: 23\r\n\r\n{\"v\":\"a \\\"/?\\u000a\\\\b\"}");
}

TEST(Mix, FormsAreEncoded) {
  const Mix mix = MustParse(R"({
    "variables": {"v": {"choice": ["a b&c=ü"]}},
    "requests": [{"method": "POST", "path": "/",
                  "form": {"k 1": "<{{v}}>{{v}}", "z": "end"}}]})");
  RequestSource source(mix, "h", "", 1);
  EXPECT_EQ(Next(source),
            "POST / HTTP/1.1\r\nHost: h\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            "Content-Length: 54\r\n\r\n"
            "k%201=%3Ca%20b%26c%3D%C3%BC%3Ea%20b%26c%3D%C3%BC&z=end");
}

TEST(Mix, WeightsAreKept) {
  const Mix mix = MustParse(R"({"requests": [
    {"name": "a", "path": "/a", "weight": 5},
    {"name": "b", "path": "/b", "weight": 3},
    {"name": "c", "path": "/c", "weight": 2}]})");
  RequestSource source(mix, "h", "", 9);
  std::map<uint32_t, int> seen;
  RequestSource::Request request;
  for (int i = 0; i < 20'000; ++i) {
    source.Next(&request);
    ++seen[request.spec];
  }
  // Four standard deviations of a binomial count.
  EXPECT_NEAR(seen[0], 10'000, 283);
  EXPECT_NEAR(seen[1], 6'000, 260);
  EXPECT_NEAR(seen[2], 4'000, 227);
}

TEST(Mix, VariablesDrawWhatTheySay) {
  const Mix mix = MustParse(R"({
    "variables": {"i": {"integer": [3, 5]}, "h": {"hex": 8},
                  "c": {"choice": ["x", "y"]}, "w": {"words": [2, 2]}},
    "requests": [{"path": "/{{i}}/{{h}}/{{c}}", "body": "{{w}}"}]})");
  RequestSource source(mix, "h", "", 2);
  std::set<std::string> integers, hexes, choices;
  for (int i = 0; i < 300; ++i) {
    const std::string text = Next(source);
    integers.insert(text.substr(5, 1));
    hexes.insert(text.substr(7, 8));
    choices.insert(text.substr(16, 1));
    const std::string body = text.substr(text.find("\r\n\r\n") + 4);
    EXPECT_EQ(std::count(body.begin(), body.end(), ' '), 1) << body;
  }
  EXPECT_EQ(integers, (std::set<std::string>{"3", "4", "5"}));
  EXPECT_EQ(choices, (std::set<std::string>{"x", "y"}));
  EXPECT_EQ(hexes.size(), 300u);
}

TEST(Mix, SeedDecidesTheRequests) {
  const Mix mix = MustParse(R"({"variables": {"h": {"hex": 4}},
    "requests": [{"path": "/a{{h}}"}, {"path": "/b{{h}}"}]})");
  RequestSource first(mix, "h", "", 4), again(mix, "h", "", 4),
      other(mix, "h", "", 5);
  int differing = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string text = Next(first);
    EXPECT_EQ(text, Next(again));
    differing += text != Next(other);
  }
  EXPECT_GT(differing, 40);
}

constexpr char kCapturing[] = R"({
  "variables": {"id": {"pool": []}, "n": {"counter": 1}},
  "requests": [
    {"name": "create", "method": "POST", "path": "/new/{{n}}",
     "expect": {"status": [201], "contains": "ok"},
     "capture": {"id": {"json": "/item/0/id"}}},
    {"name": "delete", "weight": 1000, "method": "DELETE",
     "path": "/item/{{take id}}/{{id}}"}]})";

TEST(Mix, CapturedValuesAreUsedAndTaken) {
  const Mix mix = MustParse(kCapturing);
  RequestSource source(mix, "h", "", 1);
  RequestSource::Request request;
  // The pool is empty: the delete is not drawn, whatever its weight.
  for (int i = 0; i < 20; ++i) {
    source.Next(&request);
    ASSERT_EQ(request.spec, 0u);
  }
  EXPECT_TRUE(source.Accept(
      request, Response(201, R"({"item":[{"id":"k7"}],"state":"ok"})")));
  source.Next(&request);
  ASSERT_EQ(request.spec, 1u);
  EXPECT_TRUE(absl::StartsWith(request.bytes, "DELETE /item/k7/k7 "));
  source.Next(&request);
  EXPECT_EQ(request.spec, 0u) << "the value was taken";
}

TEST(Mix, UnexpectedResponsesAreReportedAndNotCaptured) {
  const Mix mix = MustParse(kCapturing);
  RequestSource source(mix, "h", "", 1);
  RequestSource::Request request;
  source.Next(&request);
  const std::string good = R"({"item":[{"id":"k7"}],"state":"ok"})";
  EXPECT_FALSE(source.Accept(request, Response(200, good)));
  EXPECT_FALSE(source.Accept(request, Response(201, R"({"item":[]})")));
  source.Next(&request);
  EXPECT_EQ(request.spec, 0u);
  // Expected, but without the value: nothing to capture, not an error.
  EXPECT_TRUE(source.Accept(request, Response(201, "ok, no JSON")));
  source.Next(&request);
  EXPECT_EQ(request.spec, 0u);
}

TEST(Mix, CapturesHeadersAndOwnVariables) {
  const Mix mix = MustParse(R"({
    "variables": {"at": {"pool": []}, "own": {"pool": []},
                  "n": {"counter": 41}},
    "requests": [
      {"method": "PUT", "path": "/{{n}}", "weight": 0.000001,
       "capture": {"at": {"header": "location"}, "own": {"variable": "n"}}},
      {"path": "/a/{{at}}/{{own}}", "weight": 1}]})");
  RequestSource source(mix, "h", "", 1);
  RequestSource::Request request;
  source.Next(&request);
  ASSERT_EQ(request.spec, 0u);
  EXPECT_TRUE(source.Accept(request, Response(200, "", "Location: p9\r\n")));
  source.Next(&request);
  EXPECT_TRUE(absl::StartsWith(request.bytes, "GET /a/p9/41 "));
}

TEST(Mix, ErrorsNamePlaceValueAndWhatIsAllowed) {
  const std::pair<const char*, const char*> bad[] = {
      {"{", "not JSON"},
      {R"({"requests": []})", "requests: must be a list"},
      {R"({"request": []})",
       "unknown key \"request\"; allowed: variables, req"},
      {R"({"requests": [{"path": "/"}, {"path": "x"}]})",
       "requests[1].path: must be a string that begins with /"},
      {R"({"requests": [{"path": "/a b"}]})",
       "requests[0].path: must not hold blanks"},
      {R"({"requests": [{"path": "/", "weight": -2}]})",
       "requests[0].weight: must be a number above 0, not -2"},
      {R"({"requests": [{"path": "/", "weight": "5"}]})", "not \"5\""},
      {R"({"requests": [{"path": "/", "method": "get"}]})", "not \"get\""},
      {R"({"requests": [{"path": "/{{pad"}]})", "has no closing }}"},
      {R"({"variables": {"pad": {"counter": 1}},
           "requests": [{"path": "/{{pda}}"}]})",
       "requests[0].path: placeholder {{pda}} is not a variable; the "
       "variables are pad"},
      {R"({"variables": {"n": {"counter": 1}},
           "requests": [{"path": "/{{take n}}"}]})",
       "needs a variable of kind \"pool\""},
      {R"({"variables": {"n": {"random": 1}}, "requests": [{"path": "/"}]})",
       "variables.n: unknown kind \"random\"; allowed: choice"},
      {R"({"variables": {"n": {"integer": [5, 2]}},
           "requests": [{"path": "/"}]})",
       "variables.n.integer: must be [low, high]"},
      {R"({"requests": [{"path": "/", "expect": {"status": [20]}}]})",
       "requests[0].expect.status"},
      {R"({"requests": [{"path": "/", "capture": {"x": {"json": "/a"}}}]})",
       "\"x\" is not a variable of kind pool"},
      {R"({"requests": [{"path": "/", "headers": {"A": "b\r\nC: d"}}]})",
       "requests[0].headers.A: must be a header of one line"},
      {R"({"variables": {"p": {"pool": []}}, "requests": [{"path": "/{{p}}"}]})",
       "at least one must not"},
      {R"({"requests": [{"path": "/", "body": "a", "json": {}}]})",
       "has both body and json"},
      {R"({"requests": [{"path": "/", "method": "HEAD", "body": "a"}]})",
       "HEAD request has no body"},
  };
  for (const auto& [json, message] : bad) {
    const auto mix = ParseMix(json);
    ASSERT_FALSE(mix.ok()) << json;
    EXPECT_TRUE(absl::StrContains(mix.status().message(), message))
        << json << "\n  says: " << mix.status().message();
  }
}

}  // namespace
}  // namespace edgewise::load
