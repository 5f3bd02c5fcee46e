#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "recorder/protocol/conversation.h"
#include "test/native/recorder/protocol/capture.h"

namespace edgewise {

// A conversation as the tests lead it. Each message lies in memory of exactly
// its size, so that a sanitizer sees whoever reads behind it.
class Asking {
 public:
  static constexpr char kSame[] = "(same)";

  explicit Asking(uint16_t port = 0, bool datagram = false) {
    conversation_.Begin(port, datagram, &statements_);
  }

  // What the question is named; kSame if the name told last holds.
  std::string Ask(std::string_view bytes) {
    const std::unique_ptr<char[]> copy = Copy(bytes);
    OperationText operation;
    if (!conversation_.Question(copy.get(), bytes.size(), &operation)) {
      return kSame;
    }
    return std::string(operation.view());
  }
  void Answer(std::string_view bytes) {
    const std::unique_ptr<char[]> copy = Copy(bytes);
    conversation_.Answer(copy.get(), bytes.size());
  }
  Protocol protocol() const { return conversation_.protocol(); }
  bool goes_on() const { return conversation_.goes_on(); }
  std::string protocol_name() const {
    return ProtocolName(conversation_.protocol());
  }

 private:
  static std::unique_ptr<char[]> Copy(std::string_view bytes) {
    auto copy = std::make_unique_for_overwrite<char[]>(bytes.size());
    std::memcpy(copy.get(), bytes.data(), bytes.size());
    return copy;
  }

  Statements statements_;
  Conversation conversation_;
};

// The bytes in big-endian order.
inline std::string Big(uint64_t value, int bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(value >> (8 * bytes));
  return text;
}

inline std::string Little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::string PostgresQuery(std::string_view sql) {
  return "Q" + Big(sql.size() + 5, 4) + std::string(sql) + '\0';
}

inline std::string MysqlQuery(std::string_view sql) {
  return Little(sql.size() + 1, 3) + '\0' + '\x03' + std::string(sql);
}

}  // namespace edgewise
