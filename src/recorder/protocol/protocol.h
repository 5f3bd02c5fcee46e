#pragma once

#include <cstdint>

namespace edgewise {

enum class Protocol : uint8_t {
  kUnknown,
  kHttp1,
  kTls,
  kHttp2,
  kGrpc,
  kPostgres,
  kMysql,
  kRedis,
  kMongodb,
  kAmqp,
  kKafka,
  kMemcached,
  kSmtp,
  kDns,
};

// "http", "postgresql", ...; "unknown".
const char* ProtocolName(Protocol protocol);

}  // namespace edgewise
