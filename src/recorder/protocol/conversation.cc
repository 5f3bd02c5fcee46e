#include "recorder/protocol/conversation.h"

#include "recorder/protocol/cursor.h"
#include "recorder/protocol/families.h"

namespace edgewise {
namespace {

// After so many questions nothing is looked for any more.
constexpr uint8_t kUnrecognisedQuestions = 8;

Protocol ByPort(uint16_t port) {
  switch (port) {
    case 5432:
    case 6432:  // PgBouncer
      return Protocol::kPostgres;
    case 3306:
    case 33060:
      return Protocol::kMysql;
    case 6379:
    case 26379:
      return Protocol::kRedis;
    case 9092:
      return Protocol::kKafka;
    case 25:
    case 587:
    case 2525:
      return Protocol::kSmtp;
    case 53:
      return Protocol::kDns;
    default:
      return Protocol::kUnknown;
  }
}

// By the first bytes of a question.
Protocol OfQuestion(const Cursor& cursor, uint16_t port, bool datagram) {
  const Protocol usual = ByPort(port);
  if (datagram || usual == Protocol::kDns) {
    return LooksLikeDns(cursor, datagram) ? Protocol::kDns : Protocol::kUnknown;
  }
  if (LooksLikeTlsHello(cursor)) return Protocol::kTls;
  if (LooksLikeHttp2(cursor)) return Protocol::kHttp2;
  if (LooksLikeHttp1(cursor)) return Protocol::kHttp1;
  if (LooksLikeRedis(cursor)) return Protocol::kRedis;
  if (LooksLikeAmqp(cursor)) return Protocol::kAmqp;
  if (LooksLikePostgres(cursor, usual == Protocol::kPostgres)) {
    return Protocol::kPostgres;
  }
  if (LooksLikeMongodb(cursor)) return Protocol::kMongodb;
  if (LooksLikeMysql(cursor, usual == Protocol::kMysql)) {
    return Protocol::kMysql;
  }
  if (LooksLikeMemcached(cursor)) return Protocol::kMemcached;
  if (LooksLikeSmtp(cursor)) return Protocol::kSmtp;
  if (LooksLikeKafka(cursor, usual == Protocol::kKafka)) {
    return Protocol::kKafka;
  }
  return Protocol::kUnknown;
}

// By the first bytes that the server sends.
Protocol OfAnswer(const Cursor& cursor, uint16_t port) {
  const Protocol usual = ByPort(port);
  if (LooksLikeMysqlGreeting(cursor)) return Protocol::kMysql;
  if (LooksLikeSmtpGreeting(cursor, usual == Protocol::kSmtp)) {
    return Protocol::kSmtp;
  }
  if (LooksLikeAmqpStart(cursor)) return Protocol::kAmqp;
  if (Cursor(cursor).Take("HTTP/1.")) return Protocol::kHttp1;
  if (LooksLikeRedisAnswer(cursor, usual == Protocol::kRedis)) {
    return Protocol::kRedis;
  }
  if (LooksLikeTls(cursor)) return Protocol::kTls;
  return Protocol::kUnknown;
}

void NameByProtocol(Inquiry& question) {
  switch (*question.protocol) {
    case Protocol::kUnknown:
      return;
    case Protocol::kHttp1:
      return NameHttp1(question);
    case Protocol::kTls:
      return NameTls(question);
    case Protocol::kHttp2:
    case Protocol::kGrpc:
      return NameHttp2(question);
    case Protocol::kPostgres:
      return NamePostgres(question);
    case Protocol::kMysql:
      return NameMysql(question);
    case Protocol::kRedis:
      return NameRedis(question);
    case Protocol::kMongodb:
      return NameMongodb(question);
    case Protocol::kAmqp:
      return NameAmqp(question);
    case Protocol::kKafka:
      return NameKafka(question);
    case Protocol::kMemcached:
      return NameMemcached(question);
    case Protocol::kSmtp:
      return NameSmtp(question);
    case Protocol::kDns:
      return NameDns(question);
  }
}

}  // namespace

const char* ProtocolName(Protocol protocol) {
  switch (protocol) {
    case Protocol::kUnknown:
      return "unknown";
    case Protocol::kHttp1:
      return "http";
    case Protocol::kTls:
      return "tls";
    case Protocol::kHttp2:
      return "h2";
    case Protocol::kGrpc:
      return "grpc";
    case Protocol::kPostgres:
      return "postgresql";
    case Protocol::kMysql:
      return "mysql";
    case Protocol::kRedis:
      return "redis";
    case Protocol::kMongodb:
      return "mongodb";
    case Protocol::kAmqp:
      return "amqp";
    case Protocol::kKafka:
      return "kafka";
    case Protocol::kMemcached:
      return "memcached";
    case Protocol::kSmtp:
      return "smtp";
    case Protocol::kDns:
      return "dns";
  }
  return "unknown";
}

void Conversation::Begin(uint16_t peer_port, bool datagram,
                         Statements* statements) {
  *this = Conversation();
  statements_ = statements;
  connection_ = statements != nullptr ? statements->NextConnection() : 0;
  port_ = peer_port;
  state_ = datagram ? kDatagram : 0;
  operation_hash_ = HashBytes("", 0, 0);
}

bool Conversation::NewQuestion(const void* data, size_t bytes,
                               OperationText* operation) {
  if (bytes == 0 || (state_ & kOpaque) != 0) return false;
  const Cursor cursor(data, bytes);
  if (protocol_ == Protocol::kUnknown && !Recognise(cursor)) return false;
  OperationText name;
  Inquiry question{cursor, &name, &state_, &protocol_,
                   OwnStatements{statements_, connection_}};
  if ((state_ & kSecured) != 0 && LooksLikeTlsHello(cursor)) {
    NameTls(question);
    state_ |= kOpaque;
  } else {
    NameByProtocol(question);
  }
  if (question.keep) {
    goes_on_ = true;
    return false;
  }
  Remember(data, bytes, question);
  const uint64_t hash = HashBytes(name.text, name.length, 0);
  if (hash == operation_hash_) return false;
  operation_hash_ = hash;
  *operation = name;
  return true;
}

bool Conversation::Recognise(const Cursor& cursor) {
  if (unrecognised_ >= kUnrecognisedQuestions) return false;
  protocol_ = OfQuestion(cursor, port_, (state_ & kDatagram) != 0);
  if (protocol_ != Protocol::kUnknown) return true;
  ++unrecognised_;
  return false;
}

void Conversation::Remember(const void* data, size_t bytes,
                            const Inquiry& question) {
  const Cursor& cursor = question.cursor;
  const size_t begin = cursor.decided_begin();
  // Where the end decided, as many bytes again must be the same.
  const bool to_the_end = cursor.ended();
  const size_t end = to_the_end ? cursor.size() : cursor.decided_end();
  if (!question.repeatable || begin >= end) {
    decided_end_ = 0;
    return;
  }
  const auto* at = static_cast<const uint8_t*>(data);
  decided_begin_ = static_cast<uint16_t>(begin);
  decided_end_ = static_cast<uint16_t>(end);
  decided_bytes_ = to_the_end && bytes <= kLookBytes
                       ? static_cast<uint16_t>(bytes)
                       : uint16_t{0};
  first_byte_mask_ = question.first_byte_decides ? 0xff : 0;
  first_byte_ = at[0] & first_byte_mask_;
  decided_hash_ = HashBytes(at + begin, end - begin, 0);
}

void Conversation::Answer(const void* data, size_t bytes) {
  const Cursor cursor(data, bytes);
  switch (protocol_) {
    case Protocol::kUnknown:
      if (bytes == 0 || (state_ & kDatagram) != 0 ||
          unrecognised_ >= kUnrecognisedQuestions) {
        return;
      }
      protocol_ = OfAnswer(cursor, port_);
      if (protocol_ == Protocol::kMysql) MysqlGreeting(cursor, &state_);
      return;
    case Protocol::kMysql:
      return MysqlAnswer(cursor, &state_,
                         OwnStatements{statements_, connection_});
    case Protocol::kSmtp:
      return SmtpAnswer(cursor, &state_);
    case Protocol::kHttp1:
      return Http1Answer(cursor);
    default:
      return;
  }
}

// A connection may change to another protocol.
void Conversation::Http1Answer(Cursor cursor) {
  if (!cursor.Take("HTTP/1.")) return;
  cursor.Skip(2);
  if (cursor.Peek() == '1') {
    if (cursor.Take("101")) state_ |= kOpaque;
  } else if ((state_ & kTunnel) != 0) {
    state_ &= static_cast<uint16_t>(~kTunnel);
    if (cursor.Peek() == '2') {
      protocol_ = Protocol::kUnknown;
      port_ = 0;  // the proxy's
      decided_end_ = 0;
    }
  }
}

}  // namespace edgewise
