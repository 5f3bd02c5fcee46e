#pragma once

#include <cstdint>
#include <string_view>

#include "recorder/protocol/cursor.h"
#include "recorder/protocol/hash.h"
#include "recorder/protocol/operation_text.h"
#include "recorder/protocol/protocol.h"
#include "recorder/protocol/statements.h"

// What each protocol's file offers to conversation.cc.
//
// LooksLike...(): whether the bytes are evidence for the protocol by
// themselves. Name...(): names the question of a conversation that speaks it.
namespace edgewise {

// Whether a path is that of a gRPC method: /package.Service/Method.
bool IsGrpcPath(std::string_view path);

// What a conversation remembers of earlier bytes.
enum ConversationState : uint16_t {
  kDatagram = 1 << 0,
  kSecured = 1 << 1,      // TLS was asked for inside of a protocol
  kOpaque = 1 << 2,       // nothing of what follows can be read
  kPreparing = 1 << 3,    // MySQL: the answer numbers a statement
  kLogin = 1 << 4,        // what follows are credentials
  kTunnel = 1 << 5,       // HTTP's CONNECT: another protocol follows
  kContent = 1 << 6,      // SMTP: a message's text follows
  kAttributes = 1 << 7,   // MySQL: queries begin with attributes
  kMayCompress = 1 << 8,  // MySQL: the server can
};

// The prepared statements of one conversation.
struct OwnStatements {
  Statements* all;  // may be null: none is followed
  uint32_t connection;

  void Keep(std::string_view name, const OperationText& operation) const {
    if (all != nullptr) all->Keep(Key(name), operation);
  }
  const OperationText* Find(std::string_view name) const {
    return all != nullptr ? all->Find(Key(name)) : nullptr;
  }

 private:
  uint64_t Key(std::string_view name) const {
    return HashBytes(name.data(), name.size(), connection);
  }
};

struct Inquiry {
  Cursor cursor;
  OperationText* operation;  // empty at first
  uint16_t* state;
  Protocol* protocol;
  OwnStatements statements;
  bool keep = false;       // no new question: the operation told last holds
  bool repeatable = true;  // the same bytes again mean the same
  // Beside what the cursor says; for what skips the rest of a head.
  bool first_byte_decides = false;

  bool Has(ConversationState bit) const { return (*state & bit) != 0; }
  void Set(ConversationState bit) { *state |= bit; }
  void Clear(ConversationState bit) { *state &= static_cast<uint16_t>(~bit); }
};

// What SQL's dialects read differently.
enum class Dialect : uint8_t { kPostgres, kMysql };

// "SELECT users", "COMMIT". Of the statement that begins at the cursor and ends
// there or with a NUL. `cut`: it goes on behind the cursor's end.
void NameSql(Cursor& cursor, Dialect dialect, bool cut,
             OperationText* operation);
// Whether a statement begins there.
bool LooksLikeSql(Cursor cursor);

bool LooksLikeHttp1(Cursor cursor);
void NameHttp1(Inquiry& question);

bool LooksLikeHttp2(Cursor cursor);
void NameHttp2(Inquiry& question);

bool LooksLikeTlsHello(Cursor cursor);
bool LooksLikeTls(Cursor cursor);
void NameTls(Inquiry& question);

bool LooksLikePostgres(Cursor cursor, bool usual_port);
void NamePostgres(Inquiry& question);

bool LooksLikeMysql(Cursor cursor, bool usual_port);
bool LooksLikeMysqlGreeting(Cursor cursor);
void NameMysql(Inquiry& question);
void MysqlGreeting(Cursor cursor, uint16_t* state);
void MysqlAnswer(Cursor cursor, uint16_t* state,
                 const OwnStatements& statements);

bool LooksLikeRedis(Cursor cursor);
bool LooksLikeRedisAnswer(Cursor cursor, bool usual_port);
void NameRedis(Inquiry& question);

bool LooksLikeMongodb(Cursor cursor);
void NameMongodb(Inquiry& question);

bool LooksLikeAmqp(Cursor cursor);
bool LooksLikeAmqpStart(Cursor cursor);
void NameAmqp(Inquiry& question);

bool LooksLikeKafka(Cursor cursor, bool usual_port);
void NameKafka(Inquiry& question);

bool LooksLikeMemcached(Cursor cursor);
void NameMemcached(Inquiry& question);

bool LooksLikeSmtp(Cursor cursor);
bool LooksLikeSmtpGreeting(Cursor cursor, bool usual_port);
void NameSmtp(Inquiry& question);
void SmtpAnswer(Cursor cursor, uint16_t* state);

bool LooksLikeDns(Cursor cursor, bool datagram);
void NameDns(Inquiry& question);

}  // namespace edgewise
