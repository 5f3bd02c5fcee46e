#include "recorder/questions.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "recorder/protocol/families.h"
#include "recorder/protocol/fold.h"
#include "recorder/protocol/hash.h"

namespace edgewise {

uint32_t Questions::NameOf(const void* data, size_t bytes,
                           Connection* connection) {
  OperationText operation;
  const bool named = connection->talk.Question(data, bytes, &operation);
  const Protocol protocol = connection->talk.protocol();
  // A body that was asked for is no further question.
  if (protocol == Protocol::kHttp1 && connection->talk.goes_on()) {
    return IdOf(ProtocolName(protocol), {});
  }
  if (!named) return connection->operation;
  if (protocol == Protocol::kUnknown) return connection->operation = 0;
  return connection->operation = IdOf(ProtocolName(protocol), operation);
}

uint32_t Questions::NameOfHttps(std::string_view method,
                                std::string_view path) {
  return NameOfHttp("https", method, path);
}

uint32_t Questions::NameOfStream(std::string_view method, std::string_view path,
                                 bool grpc) {
  if (!grpc || !IsGrpcPath(path)) {
    return NameOfHttp(grpc ? "grpc" : "h2", method, path);
  }
  OperationText operation;
  operation.Assign(path);
  return IdOf("grpc", operation);
}

uint32_t Questions::NameOfHttp(std::string_view protocol,
                               std::string_view method, std::string_view path) {
  constexpr size_t kLongestMethod = 16;
  OperationText operation;
  operation.Assign(method.substr(0, kLongestMethod));
  if (path.starts_with('/')) {
    operation.Append(' ');
    AppendFoldedPath(path, /*complete=*/true, &operation);
  }
  return IdOf(protocol, operation);
}

uint32_t Questions::IdOf(std::string_view protocol,
                         const OperationText& operation) {
  const std::string_view text = operation.view();
  const uint64_t hash = HashBytes(reinterpret_cast<const uint8_t*>(text.data()),
                                  text.size(), protocol.size());
  Name& name = names_[hash % kNames];
  const bool known = name.id != 0 && name.protocol == protocol &&
                     name.operation.view() == text;
  if (!known) {
    const char* const separator = text.empty() ? "" : " ";
    const std::string whole =
        absl::StrCat(std::string(protocol), separator, std::string(text));
    name = {protocol, recorder_->InternString(whole), operation};
  }
  return name.id;
}

}  // namespace edgewise
