// What naming a question of an outgoing connection costs: ns each, for one that
// is the last one again, and for one that is new.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "recorder/protocol/conversation.h"
#include "test/native/recorder/protocol/asking.h"
#include "test/native/recorder/protocol/captures_of_databases.h"
#include "test/native/recorder/protocol/captures_of_services.h"

namespace edgewise {
namespace {

void AskAll(Conversation& conversation, std::span<const Capture> captures,
            size_t until) {
  OperationText text;
  for (size_t i = 0; i < until; ++i) {
    const Capture& capture = captures[i];
    if (capture.direction == '<') {
      conversation.Answer(capture.bytes.data(), capture.bytes.size());
    } else {
      conversation.Question(capture.bytes.data(), capture.bytes.size(), &text);
    }
  }
}

// Asks `first` and `second` in turn, in a conversation that has heard what was
// before them. The same one: the question is repeated.
void Measure(benchmark::State& state, std::span<const Capture> captures,
             size_t first, size_t second) {
  static Statements statements;
  Conversation conversation;
  conversation.Begin(0, false, &statements);
  AskAll(conversation, captures, std::max(first, second) + 1);
  OperationText text;
  size_t now = first;
  for (auto _ : state) {
    const std::string_view bytes = captures[now].bytes;
    benchmark::DoNotOptimize(
        conversation.Question(bytes.data(), bytes.size(), &text));
    now = first + second - now;
  }
}

void MeasureBytes(benchmark::State& state, std::string first,
                  std::string second) {
  const Capture captures[] = {{'>', first, nullptr}, {'>', second, nullptr}};
  Measure(state, captures, 0, first == second ? 0 : 1);
}

BENCHMARK_CAPTURE(Measure, redis_again, kIoredis, 2, 2);
BENCHMARK_CAPTURE(Measure, redis_new, kIoredis, 2, 3);
BENCHMARK_CAPTURE(Measure, http_again, kHttpAgent, 0, 0);
BENCHMARK_CAPTURE(Measure, http_new, kHttpAgent, 0, 4);
BENCHMARK_CAPTURE(Measure, postgres_again, kPg, 3, 3);
BENCHMARK_CAPTURE(Measure, postgres_new, kPg, 2, 3);
BENCHMARK_CAPTURE(Measure, mongodb_new, kMongodb, 1, 2);
BENCHMARK_CAPTURE(Measure, h2_new, kHttp2, 0, 1);
BENCHMARK_CAPTURE(Measure, grpc_new, kGrpcJs, 1, 2);
BENCHMARK_CAPTURE(Measure, tls_new, kHttps, 0, 0);

// 24 bytes decide.
BENCHMARK_CAPTURE(MeasureBytes, again_by_24_bytes,
                  "GET /api/v1/list/users HTTP/1.1\r\n\r\n",
                  "GET /api/v1/list/users HTTP/1.1\r\n\r\n");

std::string LongQuery(std::string_view table) {
  std::string sql = "SELECT a";
  while (sql.size() < 800) sql += ", 'it''s', (b + 1)";
  return PostgresQuery(sql + " FROM " + std::string(table) + " WHERE a = 1");
}
BENCHMARK_CAPTURE(MeasureBytes, sql_800_bytes_again, LongQuery("a"),
                  LongQuery("a"));
BENCHMARK_CAPTURE(MeasureBytes, sql_800_bytes_new, LongQuery("a"),
                  LongQuery("b"));

}  // namespace
}  // namespace edgewise

BENCHMARK_MAIN();
