#pragma once

#include <cstdint>
#include <deque>

// What a simulated loop has to do.
namespace edgewise::simulated {

inline constexpr uint32_t kNobody = UINT32_MAX;

// A request that is simulated.
struct Instance {
  int64_t at_ns;
  uint32_t request;
  uint32_t first_end;  // where the ends of its jobs are noted; kNobody: nowhere
};

struct Item {
  enum class Kind : uint8_t {
    kReady,    // a job
    kReturn,   // a job whose other thread is done
    kPool,     // the pool has done a job's work
    kOffload,  // the other threads have
    kFresh,    // a request on a new connection
    kRead,     // a shared connection has answers; `job`: which connection
    kOther,    // what nobody asked for
  };
  int64_t at_ns;
  uint32_t instance;
  uint32_t job;  // a number in the request; kOther: in the model
  Kind kind;

  bool operator<(const Item& other) const { return at_ns > other.at_ns; }
};

// Threads that take work in the order it comes.
struct Station {
  struct Work {
    uint32_t instance;
    uint32_t job;
    float ns;
  };
  uint32_t free;
  std::deque<Work> waiting;
};

}  // namespace edgewise::simulated
