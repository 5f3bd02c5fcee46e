#pragma once

#include <cstdint>
#include <tuple>

namespace edgewise {

// A request that came on a connection whose two ends are known. ns.
struct ServedRow {
  uint64_t link;     // ConnectionEnds::Link(), or TraceContext::Key()
  uint64_t via;      // ConnectionEnds::Link(); 0: not known
  int64_t ready_ns;  // by the clock of its machine
  int64_t begin_ns;  // its thread began with it
  int64_t end_ns;
  int64_t io_ns;  // of its critical path
  int64_t queue_ns;
  int64_t exec_ns;
  int64_t gc_ns;       // of queueing and execution
  int64_t off_ns;      // likewise: its thread did not run
  int64_t blocked_ns;  // behind `blocker`, of all requests the most
  uint32_t received;   // bytes on the connection before it, modulo 2^32
                       // HTTP/2: the number of its stream
  uint32_t session;    // the connection's number in its file
  uint32_t file;       // of all files that are read
  uint32_t request;    // its id there
  uint32_t route;      // of all services
  uint32_t blocker;    // likewise; 0: none
  uint16_t service;
  uint16_t clock;      // the same: times can be compared
  uint32_t of_stream;  // 1: HTTP/2

  auto order() const { return std::tuple(link, file, session, ready_ns); }
};

// A step of a critical path that has waited for an answer on a connection.
struct CalledRow {
  uint64_t link;
  int64_t begin_ns;  // of its I/O
  int64_t end_ns;
  int64_t asked_ns;         // when it was asked
  int64_t caller_begin_ns;  // its thread began with who asks
  int64_t read_ns;          // when its answer was: all had come by then
  uint64_t context;         // TraceContext::Key() of the question; 0: none
  uint32_t asked;  // bytes on the connection once it was asked, modulo 2^32;
                   // HTTP/2: the number of its stream, 0: not known
  uint32_t session;
  uint32_t file;
  uint32_t request;
  uint32_t route;
  uint32_t step;  // of its path, from the first
  // Once it is joined, which request it was; 0: it is not.
  uint32_t served_file;
  uint32_t served_request;
  uint16_t service;
  uint16_t clock;
  uint8_t tail;       // 1: its request is of the tail
  uint8_t of_stream;  // 1: HTTP/2
  uint8_t unused[2];

  auto order() const { return std::tuple(link, file, session, begin_ns); }
};

}  // namespace edgewise
