// What real clients and servers said to each other, question by question.

#include <gtest/gtest.h>

#include <span>

#include "test/native/recorder/protocol/asking.h"
#include "test/native/recorder/protocol/captures_of_databases.h"
#include "test/native/recorder/protocol/captures_of_services.h"

namespace edgewise {
namespace {

void ExpectNames(const char* protocol, std::span<const Capture> captures) {
  Asking asking;
  for (const Capture& capture : captures) {
    if (capture.direction == '<') {
      asking.Answer(capture.bytes);
      continue;
    }
    EXPECT_EQ(asking.Ask(capture.bytes),
              capture.operation != nullptr ? capture.operation : Asking::kSame);
  }
  EXPECT_EQ(asking.protocol_name(), protocol);
}

TEST(CapturesTest, Postgres) {
  ExpectNames("postgresql", kPg);
  ExpectNames("postgresql", kPostgresJs);
}
TEST(CapturesTest, Mysql) { ExpectNames("mysql", kMysql2); }
TEST(CapturesTest, Mongodb) { ExpectNames("mongodb", kMongodb); }
TEST(CapturesTest, Redis) { ExpectNames("redis", kIoredis); }
TEST(CapturesTest, Memcached) {
  ExpectNames("memcached", kMemcached);
  ExpectNames("memcached", kMemjs);
}
TEST(CapturesTest, Http1) {
  ExpectNames("http", kHttpAgent);
  ExpectNames("http", kFetch);
}
TEST(CapturesTest, Http2) { ExpectNames("h2", kHttp2); }
TEST(CapturesTest, Grpc) { ExpectNames("grpc", kGrpcJs); }
TEST(CapturesTest, Tls) {
  ExpectNames("tls", kHttps);
  ExpectNames("tls", kTlsConnect);
}
TEST(CapturesTest, Amqp) { ExpectNames("amqp", kAmqplib); }
TEST(CapturesTest, Kafka) { ExpectNames("kafka", kKafkajs); }
TEST(CapturesTest, Smtp) { ExpectNames("smtp", kNodemailer); }

}  // namespace
}  // namespace edgewise
