#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/protocol/cursor.h"

namespace edgewise {

// What of a header block (RFC 7541) names a request. Nothing else of it is
// decoded. The dynamic table is not kept: what refers to it stays empty.
// Clients that follow the RFC's advice, as nghttp2 in Node does, do not index
// paths.
struct RequestHead {
  static constexpr size_t kPathBytes = 192;

  std::string_view method;  // of those in the static table; or empty
  char path[kPathBytes];
  size_t path_bytes = 0;
  bool path_complete = false;
  bool grpc = false;  // by its content-type
};

// Reads the block that begins at the cursor and has `bytes`. False: it is none.
bool ReadRequestHead(Cursor& cursor, size_t bytes, RequestHead* head);

}  // namespace edgewise
