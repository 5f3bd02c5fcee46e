// HTTP/2 and gRPC: frames; a request's HEADERS tell method and path.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/protocol/families.h"
#include "recorder/protocol/fold.h"
#include "recorder/protocol/hpack.h"

namespace edgewise {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr uint8_t kHeaders = 1;
constexpr uint8_t kData = 0;
constexpr uint8_t kContinuation = 9;
constexpr uint8_t kLastKnownType = 0x10;  // PRIORITY_UPDATE
constexpr uint8_t kPadded = 0x08;
constexpr uint8_t kPriority = 0x20;

// The HEADERS frame's payload of `bytes` is at the cursor.
void NameByHeaders(Inquiry& question, uint8_t flags, size_t bytes) {
  Cursor& cursor = question.cursor;
  const size_t end = cursor.position() + bytes;
  const size_t padding = (flags & kPadded) != 0 ? cursor.U8() : 0;
  if ((flags & kPriority) != 0) cursor.Skip(5);
  if (cursor.position() + padding > end) {
    question.keep = true;
    return;
  }
  RequestHead head;
  if (!ReadRequestHead(cursor, end - padding - cursor.position(), &head)) {
    question.keep = true;  // trailers
    return;
  }
  if (head.grpc) *question.protocol = Protocol::kGrpc;
  OperationText* operation = question.operation;
  const std::string_view path(head.path, head.path_bytes);
  // A service's and its method's name are no ids, whatever they look like.
  if (*question.protocol == Protocol::kGrpc && head.path_complete &&
      IsGrpcPath(path)) {
    return operation->Assign(path);
  }
  operation->Assign(head.method);
  if (head.path_bytes == 0) return;
  if (operation->length > 0) operation->Append(' ');
  AppendFoldedPath(path, head.path_complete, operation);
}

}  // namespace

bool IsGrpcPath(std::string_view path) {
  size_t slashes = 0;
  for (const char c : path) {
    const bool good = (c >= '0' && c <= '9') ||
                      ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '.' ||
                      c == '_' || c == '/';
    if (!good) return false;
    if (c == '/') ++slashes;
  }
  return slashes == 2 && path[0] == '/';
}

bool LooksLikeHttp2(Cursor cursor) { return cursor.Take(kPreface); }

void NameHttp2(Inquiry& question) {
  Cursor& cursor = question.cursor;
  question.repeatable = false;  // each request has a stream of its own
  cursor.Take(kPreface);
  while (cursor.left() > 0) {
    const uint32_t length = cursor.U24();
    const uint8_t type = cursor.U8();
    const uint8_t flags = cursor.U8();
    const uint32_t stream = cursor.U32();
    if (cursor.ended() || type > kLastKnownType || stream >> 31 != 0) break;
    if (type == kHeaders && stream % 2 == 1) {
      return NameByHeaders(question, flags, length);
    }
    if (type == kData || type == kContinuation) break;
    cursor.Skip(length);
  }
  question.keep = true;  // a body, or what the connection needs for itself
}

}  // namespace edgewise
