// Nothing that is planted where secrets stand ever is part of a name.

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>
#include <vector>

#include "test/native/recorder/protocol/asking.h"
#include "test/native/recorder/protocol/captures_of_databases.h"
#include "test/native/recorder/protocol/captures_of_services.h"

namespace edgewise {
namespace {

const std::span<const Capture> kAll[] = {
    kPg,      kPostgresJs, kMysql2,     kMongodb,    kIoredis, kMemcached,
    kMemjs,   kHttpAgent,  kFetch,      kHttp2,      kGrpcJs,  kHttps,
    kAmqplib, kKafkajs,    kTlsConnect, kNodemailer,
};

void ExpectNoSecret(const std::string& name, std::string_view bytes) {
  for (const char* secret : {"hunter", "HUNTER", "unter2", "aHVudG"}) {
    EXPECT_EQ(name.find(secret), std::string::npos) << name << " of " << bytes;
  }
  for (const char c : name) {
    EXPECT_TRUE(c >= ' ' && c <= '~') << name;
  }
}

TEST(SecretsTest, NoNameOfACaptureHasThem) {
  for (const auto& captures : kAll) {
    Asking asking;
    for (const Capture& capture : captures) {
      if (capture.direction == '<') {
        asking.Answer(capture.bytes);
      } else {
        ExpectNoSecret(asking.Ask(capture.bytes), capture.bytes);
      }
    }
  }
}

// A write may be cut anywhere, and the rest be taken for a question.
TEST(SecretsTest, NorAnyPartOfOne) {
  for (const auto& captures : kAll) {
    for (size_t cut = 1; cut < 140; ++cut) {
      Asking asking;
      for (const Capture& capture : captures) {
        const std::string_view bytes = capture.bytes;
        if (capture.direction == '<') {
          asking.Answer(bytes.substr(0, cut));
          continue;
        }
        ExpectNoSecret(asking.Ask(bytes.substr(0, cut)), bytes);
        if (cut >= bytes.size()) continue;
        ExpectNoSecret(asking.Ask(bytes.substr(cut)), bytes.substr(cut));
      }
    }
  }
}

// On the port of each protocol, spoken to a server of any other.
TEST(SecretsTest, NorWhatIsSaidToAnother) {
  for (const uint16_t port : {25, 53, 3306, 5432, 6379, 9092}) {
    for (const auto& first : kAll) {
      for (const auto& then : kAll) {
        Asking asking(port);
        asking.Ask(first[0].bytes);
        for (const Capture& capture : then) {
          ExpectNoSecret(asking.Ask(capture.bytes), capture.bytes);
        }
      }
    }
  }
}

TEST(SecretsTest, NorWhatStatementsCarry) {
  for (const char* sql : {
           "SELECT * FROM users WHERE password = 'hunter2'",
           "SELECT 'hunter2' FROM users",
           "INSERT INTO users VALUES ('hunter2', E'it\\'s hunter2')",
           "/* token=hunter2 */ SELECT a FROM users -- hunter2",
           "/*hunter2*/",
           "-- hunter2",
           "SET PASSWORD FOR joe = 'hunter2'",
           "SET app.token TO hunter2",
           "CREATE USER hunter2 IDENTIFIED BY 'hunter2'",
           "ALTER ROLE joe WITH PASSWORD 'hunter2'",
           "CREATE SERVER s OPTIONS (password 'hunter2')",
           "GRANT ALL ON *.* TO joe IDENTIFIED BY 'hunter2'",
           "CALL login('hunter2')",
           "EXECUTE login('hunter2')",
           "PREPARE x FROM 'SELECT hunter2'",
           "COPY users FROM '/hunter2' DELIMITER 'hunter2'",
           "COPY users FROM PROGRAM 'curl hunter2'",
           "LOAD DATA INFILE 'hunter2' INTO TABLE users",
           "EXPLAIN SELECT a FROM users WHERE a = 'hunter2'",
           "WITH x AS (SELECT 'hunter2') SELECT * FROM x",
           "WITH x AS (SELECT 1 WHERE a = 'FROM hunter2') SELECT * FROM x",
           "VALUES ('hunter2')",
           "DO $$ hunter2 $$",
           "SELECT $hunter2$FROM hunter2$hunter2$ FROM users",
           "SELECT trim(both 'hunter2' from name) FROM users",
           "hunter2",
       }) {
    ExpectNoSecret(Asking(5432).Ask(PostgresQuery(sql)), sql);
    ExpectNoSecret(Asking(3306).Ask(MysqlQuery(sql)), sql);
  }
}

// Bytes that were changed at random may be misunderstood, but do not crash and
// are not read behind; the fuzzer goes on from here.
TEST(SecretsTest, ChangedBytesDoNoHarm) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    for (const auto& captures : kAll) {
      Asking asking;
      for (const Capture& capture : captures) {
        std::string bytes(capture.bytes);
        for (int change = 0; change < 3; ++change) {
          bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        if (capture.direction == '<') {
          asking.Answer(bytes);
        } else {
          EXPECT_LE(asking.Ask(bytes).size(), OperationText::kCapacity);
        }
      }
    }
  }
}

}  // namespace
}  // namespace edgewise
