#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/connections.h"
#include "recorder/protocol/operation_text.h"
#include "recorder/protocol/protocol.h"
#include "recorder/protocol/statements.h"
#include "recorder/recorder.h"

namespace edgewise {

// Names what is asked on the connections of one thread: "redis GET". Loop
// thread only. 40 KB, for who has such connections.
class Questions {
 public:
  explicit Questions(Recorder* recorder) : recorder_(recorder) {}

  // A connection was opened to a server on this port; 0: it has none.
  void Begin(uint16_t port, Connection* connection) {
    connection->talk.Begin(port, /*datagram=*/false, &statements_);
  }

  // The string id of what is asked by a write that begins with `data`; 0: it
  // has no name. Locks for a name that is new, or was not used for long.
  uint32_t NameOf(const void* data, size_t bytes, Connection* connection);

  // The same of what is asked by HTTP over TLS: "https GET /users/:id".
  uint32_t NameOfHttps(std::string_view method, std::string_view path);

  // The same of a stream of HTTP/2, or of a call of gRPC.
  uint32_t NameOfStream(std::string_view method, std::string_view path,
                        bool grpc);

 private:
  struct Name {
    std::string_view protocol;  // of a static name
    uint32_t id = 0;
    OperationText operation;
  };
  static constexpr size_t kNames = 128;

  uint32_t NameOfHttp(std::string_view protocol, std::string_view method,
                      std::string_view path);
  uint32_t IdOf(std::string_view protocol, const OperationText& operation);

  Recorder* const recorder_;
  Statements statements_;
  std::array<Name, kNames> names_{};  // by hash: a newcomer takes the place
};

}  // namespace edgewise
