#include "compare/sample/clients.h"

#include <algorithm>

namespace edgewise {
namespace {

uint64_t CountOf(const Side& side) {
  uint64_t count = 0;
  for (const Run& run : side.runs) {
    uint32_t most = 0;  // They are numbered from 1.
    for (const ComparedRequest& request : run.requests) {
      most = std::max(most, request.client);
    }
    count += most;
  }
  return count;
}

}  // namespace

Clients::Clients(const Side& side)
    : count_(CountOf(side)),
      groups_(std::min<uint64_t>(count_, kMostGroups)),
      latencies_(groups_) {
  uint64_t before = 0;
  for (const Run& run : side.runs) {
    uint32_t most = 0;
    for (const ComparedRequest& request : run.requests) {
      most = std::max(most, request.client);
      if (request.client == 0) continue;
      latencies_.Add((before + request.client) % groups_, request.latency_ns);
    }
    before += most;
  }
  latencies_.Finish();
}

void Clients::Draw(std::mt19937_64* random, std::vector<float>* weights) const {
  weights->assign(groups_, 0);
  for (size_t i = 0; i < groups_; ++i) ++(*weights)[(*random)() % groups_];
}

}  // namespace edgewise
