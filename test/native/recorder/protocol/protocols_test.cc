// Messages as the protocols' specifications give them; what real programs say
// is in captures_test.cc.

#include <gtest/gtest.h>

#include <string>

#include "test/native/recorder/protocol/asking.h"

namespace edgewise {
namespace {

constexpr const char* kSame = Asking::kSame;

TEST(RedisTest, KnowsCommandsAndTheirSubcommands) {
  Asking asking;
  EXPECT_EQ(asking.Ask("*2\r\n$3\r\nget\r\n$7\r\nhunter2\r\n"), "GET");
  EXPECT_EQ(asking.Ask("*2\r\n$3\r\nget\r\n$1\r\nx\r\n"), kSame);
  EXPECT_EQ(asking.Ask("*2\r\n$7\r\nCLUSTER\r\n$5\r\nslots\r\n"),
            "CLUSTER SLOTS");
  EXPECT_EQ(asking.Ask("*2\r\n$7\r\nCLUSTER\r\n$7\r\nhunter2\r\n"), "CLUSTER");
  EXPECT_EQ(asking.Ask("*1\r\n$7\r\nhunter2\r\n"), "other");
  EXPECT_EQ(asking.Ask("*3\r\n$4\r\nAUTH\r\n$1\r\nx\r\n$7\r\nhunter2\r\n"),
            "AUTH");
  EXPECT_EQ(asking.Ask("*1\r\n$7\r\nEVALSHA\r\n"), "EVALSHA");
  EXPECT_EQ(asking.Ask("hunter2 the rest of a value"), kSame);
  EXPECT_EQ(asking.protocol(), Protocol::kRedis);
}

TEST(HttpTest, NamesMethodAndPath) {
  Asking asking;
  EXPECT_EQ(asking.Ask("GET http://joe:hunter2@h/users/7?q HTTP/1.1\r\n\r\n"),
            "GET /users/:id");
  EXPECT_EQ(asking.Ask("hunter2: the rest of a body"), kSame);
  EXPECT_EQ(asking.Ask("GET /hunter2 is no request line"), kSame);
  // The same 24 bytes at first, and as many bytes.
  EXPECT_EQ(asking.Ask("GET /api/v1/resources/users HTTP/1.1\r\n\r\n"),
            "GET /api/v1/resources/users");
  EXPECT_EQ(asking.Ask("GET /api/v1/resources/items HTTP/1.1\r\n\r\n"),
            "GET /api/v1/resources/items");
  EXPECT_EQ(asking.Ask("GET /api/v1/resources/items HTTP/1.1\r\n\r\n"), kSame);
}

TEST(HttpTest, ABodyGoesOn) {
  Asking asking;
  const std::string head = "PUT /users/7 HTTP/1.1\r\n\r\n";
  for (int round = 0; round < 2; ++round) {
    asking.Ask(head);
    EXPECT_FALSE(asking.goes_on());
    asking.Answer("HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT_EQ(asking.Ask("the body"), kSame);
    EXPECT_TRUE(asking.goes_on());
  }
}

TEST(HttpTest, AfterAnUpgradeNothingIsRead) {
  Asking asking;
  EXPECT_EQ(asking.Ask("GET /socket HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"),
            "GET /socket");
  asking.Answer("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  EXPECT_EQ(asking.Ask("GET /hunter2 HTTP/1.1\r\n\r\n"), kSame);
}

TEST(HttpTest, ATunnelSpeaksWhatFollows) {
  Asking asking;
  EXPECT_EQ(asking.Ask("CONNECT db.example.com:443 HTTP/1.1\r\n\r\n"),
            "CONNECT db.example.com:443");
  asking.Answer("HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(asking.Ask("*1\r\n$4\r\nPING\r\n"), "PING");
  EXPECT_EQ(asking.protocol(), Protocol::kRedis);
}

TEST(TlsTest, InsideOfPostgresTheProtocolStaysKnown) {
  Asking asking;
  EXPECT_EQ(asking.Ask(Big(8, 4) + Big(80877103, 4)), "startup");
  asking.Answer("S");
  std::string hello = "\x01" + Big(0, 3) + "\x03\x03" + std::string(32, 'r') +
                      Big(0, 1) + Big(2, 2) + "\x13\x01" + Big(1, 1) +
                      Big(0, 1) + Big(0, 2);
  hello = "\x16\x03\x01" + Big(hello.size(), 2) + hello;
  EXPECT_EQ(asking.Ask(hello), "(no server name)");
  EXPECT_EQ(asking.Ask("\x17\x03\x03hunter2"), kSame);
  EXPECT_EQ(asking.Ask(PostgresQuery("SELECT a FROM hunter2")), kSame);
  EXPECT_EQ(asking.protocol(), Protocol::kPostgres);
}

TEST(PostgresTest, FollowsPreparedStatements) {
  Asking asking;
  const auto message = [](char letter, const std::string& text) {
    return letter + Big(text.size() + 4, 4) + text;
  };
  const std::string bind = message('B', "\0one\0\0\0\0\0\0\0"s);
  EXPECT_EQ(asking.Ask(message('P', "one\0SELECT a FROM users\0\0\0"s) + bind),
            "SELECT users");
  EXPECT_EQ(asking.Ask(message('P', "two\0DELETE FROM x\0\0\0"s)), "DELETE x");
  EXPECT_EQ(asking.Ask(bind), "SELECT users");
  EXPECT_EQ(asking.Ask(message('B', "\0three\0"s)), "EXECUTE");
  EXPECT_EQ(asking.Ask(message('D', "Stwo\0"s)), "DELETE x");
  EXPECT_EQ(asking.Ask(message('p', "hunter2\0"s)), "authentication");
  EXPECT_EQ(asking.Ask(message('d', "hunter2"s)), kSame);
  EXPECT_EQ(asking.Ask(message('S', "") + PostgresQuery("COMMIT")), "COMMIT");
}

TEST(PostgresTest, EachConnectionHasItsOwnStatements) {
  Statements statements;
  const std::string parse = "P" + Big(25, 4) + "s\0SELECT a FROM b\0\0\0"s;
  const std::string bind = "B" + Big(10, 4) + "\0s\0\0\0\0"s;
  OperationText text;
  Conversation one;
  Conversation two;
  one.Begin(5432, false, &statements);
  two.Begin(5432, false, &statements);
  EXPECT_TRUE(one.Question(parse.data(), parse.size(), &text));
  EXPECT_EQ(text.view(), "SELECT b");
  EXPECT_TRUE(two.Question(bind.data(), bind.size(), &text));
  EXPECT_EQ(text.view(), "EXECUTE");
}

TEST(MysqlTest, PassesAttributesAndWhatIsClosed) {
  Asking asking(3306);
  EXPECT_EQ(asking.Ask(MysqlQuery("\0\1SELECT a FROM users"sv)),
            "SELECT users");
  const std::string close = Little(5, 3) + "\0\x19\1\0\0\0"s;
  EXPECT_EQ(asking.Ask(close + MysqlQuery("SELECT a FROM t")), "SELECT t");
  EXPECT_EQ(asking.Ask(close), "close");
  // Several in one write: the first one's length says where it ends.
  EXPECT_EQ(asking.Ask(MysqlQuery("SELECT a") + MysqlQuery(" FROM hunter2")),
            "SELECT");
  EXPECT_EQ(asking.Ask(MysqlQuery("SELECT a FROM t")), "SELECT t");
}

// The same bytes at first, and another length that says where it ends.
TEST(MysqlTest, ALongerStatementIsAnother) {
  Asking asking(3306);
  const std::string more = MysqlQuery(" FROM t");
  EXPECT_EQ(asking.Ask(MysqlQuery("SELECT a") + more), "SELECT");
  EXPECT_EQ(asking.Ask(MysqlQuery("SELECT a FROM t")), "SELECT t");
  EXPECT_EQ(asking.Ask(MysqlQuery("SELECT a")), "SELECT");
  EXPECT_EQ(asking.Ask(MysqlQuery("SELECT a FROM t")), "SELECT t");
}

std::string MongoMessage(const std::string& document) {
  const std::string body =
      Little(0, 4) + '\0' + Little(document.size() + 5, 4) + document + '\0';
  return Little(16 + body.size(), 4) + Little(7, 4) + Little(0, 4) +
         Little(2013, 4) + body;
}

TEST(MongodbTest, NamesCommandAndCollection) {
  Asking asking;
  EXPECT_EQ(asking.Ask(MongoMessage("\x02"
                                    "find\0"s +
                                    Little(6, 4) + "users\0"s)),
            "find users");
  EXPECT_EQ(asking.Ask(MongoMessage("\x12getMore\0"s + Little(99, 8) +
                                    "\x02"
                                    "collection\0"s +
                                    Little(7, 4) + "orders\0"s)),
            "getMore orders");
  EXPECT_EQ(asking.Ask(MongoMessage("\x10"
                                    "aggregate\0"s +
                                    Little(1, 4))),
            "aggregate");
  EXPECT_EQ(asking.Ask(MongoMessage("\x02hunter2\0"s + Little(2, 4) + "x\0"s)),
            "other");
  EXPECT_EQ(asking.protocol(), Protocol::kMongodb);
}

TEST(KafkaTest, NamesTheOperation) {
  const auto request = [](int key, std::string_view client) {
    return Big(40, 4) + Big(key, 2) + Big(9, 2) + Big(1234, 4) +
           Big(client.size(), 2) + std::string(client) + "hunter2";
  };
  Asking asking;
  EXPECT_EQ(asking.Ask(request(3, "my-app")), "Metadata");
  EXPECT_EQ(asking.Ask(request(0, "my-app")), "Produce");
  EXPECT_EQ(asking.Ask(request(1, "my-app")), "Fetch");
  EXPECT_EQ(asking.Ask(request(999, "my-app")), kSame);
  EXPECT_EQ(Asking(4000).Ask(request(3, "")), kSame);
  EXPECT_EQ(Asking(9092).Ask(request(3, "")), "Metadata");
}

TEST(AmqpTest, NamesPerformativesOfVersion1) {
  Asking asking;
  EXPECT_EQ(asking.Ask("AMQP\0\1\0\0"sv), "connect");
  EXPECT_EQ(asking.Ask("\0\0\0\x20\2\0\0\0\0\x53\x10\xc0hunter2"sv), "Open");
  EXPECT_EQ(asking.Ask("\0\0\0\x20\2\0\0\0\0\x53\x14\xc0hunter2"sv),
            "Transfer");
  EXPECT_EQ(asking.Ask("\0\0\0\x20\2\1\0\0\0\x53\x41\xc0hunter2"sv),
            "authentication");
}

TEST(MemcachedTest, NamesBothProtocols) {
  Asking asking;
  EXPECT_EQ(asking.Ask("get hunter2\r\n"), "get");
  EXPECT_EQ(asking.Ask("hunter2\r\n"), "other");
  EXPECT_EQ(asking.Ask("mg hunter2 v\r\n"), "mg");
  Asking binary;
  EXPECT_EQ(binary.Ask("\x80\x00\x00\x07\0\0\0\0\0\0\0\7\0\0\0\0"
                       "\0\0\0\0\0\0\0\0hunter2"sv),
            "get");
  EXPECT_EQ(binary.Ask("\x80\x21\x00\x05\0\0\0\0\0\0\0\x13\0\0\0\0"
                       "\0\0\0\0\0\0\0\0PLAIN\0joe\0hunter2"sv),
            "sasl_auth");
}

TEST(SmtpTest, NamesVerbsAndNeverContent) {
  Asking asking;
  asking.Answer("220 mail.example.com ESMTP\r\n");
  EXPECT_EQ(asking.protocol(), Protocol::kSmtp);
  EXPECT_EQ(asking.Ask("EHLO me\r\n"), "EHLO");
  EXPECT_EQ(asking.Ask("AUTH LOGIN\r\n"), "AUTH");
  asking.Answer("334 VXNlcm5hbWU6\r\n");
  EXPECT_EQ(asking.Ask("HELP hunter2\r\n"), kSame);
  asking.Answer("535 no\r\n");
  EXPECT_EQ(asking.Ask("data\r\n"), "DATA");
  asking.Answer("354 go\r\n");
  EXPECT_EQ(asking.Ask("QUIT hunter2\r\n"), "message");
  asking.Answer("250 OK\r\n");
  EXPECT_EQ(asking.Ask("hunter2\r\n"), "other");
  EXPECT_EQ(asking.Ask("QUIT\r\n"), "QUIT");
}

TEST(DnsTest, TellsTheTypeOnly) {
  const auto question = [](int id, int type) {
    return Big(id, 2) + "\1\0\0\1\0\0\0\0\0\0\7hunter2\3com\0"s + Big(type, 2) +
           Big(1, 2);
  };
  Asking asking(53, /*datagram=*/true);
  EXPECT_EQ(asking.Ask(question(1, 1)), "A");
  EXPECT_EQ(asking.Ask(question(2, 1)), kSame);
  EXPECT_EQ(asking.Ask(question(3, 28)), "AAAA");
  EXPECT_EQ(asking.Ask(question(4, 33)), "SRV");
  EXPECT_EQ(asking.Ask(question(5, 999)), "other");
  Asking stream(53);
  const std::string srv = question(4, 33);
  EXPECT_EQ(stream.Ask(Big(srv.size(), 2) + srv), "SRV");
  EXPECT_EQ(Asking(8125, true).Ask("requests:1|c"), kSame);
}

}  // namespace
}  // namespace edgewise
