#include <gtest/gtest.h>

#include <string>

#include "test/native/recorder/protocol/asking.h"

namespace edgewise {
namespace {

std::string InPostgres(std::string_view sql) {
  Asking asking;
  EXPECT_EQ(asking.Ask(PostgresQuery("SELECT 1")), "SELECT");
  const std::string name = asking.Ask(PostgresQuery(sql));
  return name == Asking::kSame ? "SELECT" : name;
}

std::string InMysql(std::string_view sql) {
  Asking asking(3306);
  EXPECT_EQ(asking.Ask(MysqlQuery("SELECT 1")), "SELECT");
  const std::string name = asking.Ask(MysqlQuery(sql));
  return name == Asking::kSame ? "SELECT" : name;
}

void ExpectBoth(std::string_view sql, std::string_view name) {
  EXPECT_EQ(InPostgres(sql), name) << sql;
  EXPECT_EQ(InMysql(sql), name) << sql;
}

TEST(SqlTest, NamesVerbAndFirstTable) {
  ExpectBoth("SELECT * FROM users WHERE id = 1", "SELECT users");
  ExpectBoth("select a, b from Public.Users u join x on 1=1",
             "SELECT public.users");
  ExpectBoth("INSERT INTO orders (a) VALUES (1)", "INSERT orders");
  ExpectBoth("INSERT INTO orders(a) VALUES (1)", "INSERT orders");
  ExpectBoth("UPDATE users SET a = 1", "UPDATE users");
  ExpectBoth("DELETE FROM users", "DELETE users");
  ExpectBoth("MERGE INTO stock s USING news n ON 1=1", "MERGE stock");
  ExpectBoth("TRUNCATE TABLE logs", "TRUNCATE logs");
  ExpectBoth("CALL app.refresh_totals(7)", "CALL app.refresh_totals");
  ExpectBoth("CREATE TEMP TABLE IF NOT EXISTS t (a int)", "CREATE TABLE t");
  ExpectBoth("DROP TABLE IF EXISTS t", "DROP TABLE t");
  ExpectBoth("CREATE UNIQUE INDEX i ON t (a)", "CREATE INDEX");
  ExpectBoth("LOCK TABLES t WRITE", "LOCK t");
  ExpectBoth("COPY users (a) FROM STDIN", "COPY users");
  ExpectBoth("COPY (SELECT a FROM users) TO STDOUT", "COPY users");
  EXPECT_EQ(InMysql("REPLACE INTO t VALUES (1)"), "REPLACE t");
  EXPECT_EQ(InMysql("INSERT LOW_PRIORITY IGNORE INTO t VALUES (1)"),
            "INSERT t");
  EXPECT_EQ(InMysql("DELETE u FROM users u WHERE 1"), "DELETE users");
}

TEST(SqlTest, ToldByTheVerbAlone) {
  ExpectBoth("BEGIN", "BEGIN");
  ExpectBoth("START TRANSACTION READ ONLY", "START TRANSACTION");
  ExpectBoth("COMMIT;", "COMMIT");
  ExpectBoth("ROLLBACK TO SAVEPOINT hunter2", "ROLLBACK");
  ExpectBoth("SELECT 1", "SELECT");
  ExpectBoth("SELECT now()", "SELECT");
  ExpectBoth("SET password = 'hunter2'", "SET");
  ExpectBoth("ALTER USER joe PASSWORD 'hunter2'", "ALTER USER");
  ExpectBoth("NOTIFY hunter2, 'hunter2'", "NOTIFY");
  ExpectBoth("hunter2 what", "other");
}

TEST(SqlTest, SkipsCommentsAndLiterals) {
  ExpectBoth("/* hunter2 FROM a */ SELECT 'x FROM b', 1 FROM users",
             "SELECT users");
  ExpectBoth("-- hunter2 FROM a\nSELECT 'it''s FROM b' FROM users",
             "SELECT users");
  EXPECT_EQ(InPostgres("SELECT $$ FROM a $$, $x$ FROM b $x$ FROM c"),
            "SELECT c");
  EXPECT_EQ(InPostgres("SELECT $1 FROM c"), "SELECT c");
  EXPECT_EQ(InPostgres("SELECT a #>> '{x}' FROM c"), "SELECT c");
  EXPECT_EQ(InPostgres("SELECT 5--1 FROM a\n FROM c"), "SELECT c");
  EXPECT_EQ(InMysql("# FROM a\nSELECT \"x FROM b\" FROM `users`"),
            "SELECT users");
  EXPECT_EQ(InMysql("SELECT @a := 1 FROM c"), "SELECT c");
}

// Whether a backslash hides a quote, and whether comments nest, depends on the
// server and its settings: what follows might be a literal's text.
TEST(SqlTest, GivesUpWhereAStringsEndIsNotSure) {
  ExpectBoth("SELECT 'a\\' FROM hunter2 ' FROM users", "SELECT");
  EXPECT_EQ(InMysql("SELECT \"a\\\" FROM hunter2 \" FROM users"), "SELECT");
  ExpectBoth("SELECT /* /* */ FROM hunter2 */ 1 FROM users", "SELECT");
  ExpectBoth("SELECT 'FROM hunter2", "SELECT");
  EXPECT_EQ(InMysql("SELECT 5--1 FROM hunter2"), "SELECT");
}

TEST(SqlTest, ReadsQuotedNames) {
  EXPECT_EQ(InPostgres("SELECT * FROM \"public\".\"User Table\""),
            "SELECT public.user table");
  EXPECT_EQ(InMysql("SELECT * FROM `shop`.`Users`"), "SELECT shop.users");
  // A string there, unless the server was told otherwise.
  EXPECT_EQ(InMysql("SELECT * FROM \"hunter2\""), "SELECT");
}

TEST(SqlTest, LooksIntoSubselectsAndCtes) {
  ExpectBoth("SELECT * FROM (SELECT a FROM users) t", "SELECT users");
  ExpectBoth("SELECT * FROM ((SELECT a FROM users) UNION SELECT 1) t",
             "SELECT users");
  ExpectBoth("SELECT (SELECT count(*) FROM orders) FROM users", "SELECT users");
  ExpectBoth("SELECT EXTRACT(year FROM day) FROM users", "SELECT users");
  ExpectBoth("SELECT a IS DISTINCT FROM b FROM users", "SELECT users");
  ExpectBoth("(SELECT a FROM x) UNION (SELECT b FROM y)", "SELECT x");
  ExpectBoth("WITH x AS (SELECT a FROM orders) SELECT * FROM users, x",
             "SELECT users");
  ExpectBoth("WITH x AS (SELECT a FROM orders) SELECT * FROM x",
             "SELECT orders");
  ExpectBoth(
      "WITH RECURSIVE x (a) AS (SELECT EXTRACT(day FROM d) FROM orders), "
      "y AS (SELECT 1) INSERT INTO totals SELECT * FROM y",
      "INSERT totals");
  ExpectBoth("EXPLAIN ANALYZE SELECT a FROM users", "EXPLAIN SELECT users");
  EXPECT_EQ(InPostgres("EXPLAIN (FORMAT JSON) SELECT a FROM users"),
            "EXPLAIN SELECT users");
}

TEST(SqlTest, TheFirstOfSeveralStatements) {
  ExpectBoth("UPDATE a SET x = 1; DELETE FROM b", "UPDATE a");
  ExpectBoth("SELECT 1; SELECT a FROM b", "SELECT");
}

TEST(SqlTest, FoldsIdsInNames) {
  ExpectBoth("SELECT * FROM users_8f3a19cc02", "SELECT users_:id");
  ExpectBoth("SELECT * FROM events_2024_01", "SELECT events_:id");
  ExpectBoth("SELECT * FROM tenant_42.orders", "SELECT tenant_:id.orders");
  ExpectBoth("SELECT * FROM oauth2_tokens", "SELECT oauth2_tokens");
}

TEST(SqlTest, ATableWhoseNameMayGoOnIsNotTold) {
  const std::string query = PostgresQuery("SELECT a FROM users_archive");
  for (size_t bytes = 6; bytes < query.size(); ++bytes) {
    const std::string name = Asking(5432).Ask(query.substr(0, bytes));
    EXPECT_TRUE(name == "SELECT" || name == "other" || name == Asking::kSame)
        << name;
  }
  std::string list = "SELECT a";
  while (list.size() < 2000) list += ", a";
  ExpectBoth(list + " FROM users", "SELECT");
}

}  // namespace
}  // namespace edgewise
