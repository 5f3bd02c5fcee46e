#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/graph/blame.h"
#include "analysis/graph/dependency.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/stacks/stack_tree.h"
#include "analysis/stream/event_stream.h"
#include "analysis/stream/request_routes.h"
#include "analysis/stream/route_table.h"

namespace edgewise {

// What all rows of one analysis are named by.
struct RowNames {
  const RouteTable* routes;
  const DependencyTable* dependencies;
  const StackTree* stacks;
};

// The file that rows are of: what it has, and who owns what there.
class RowContext {
 public:
  void Begin(const std::string& name, const EventStream* stream,
             const RequestRoutes* request_routes) {
    name_ = name;
    stream_ = stream;
    request_routes_ = request_routes;
    key_ = 0;
    owners_.clear();
  }
  const std::string& name() const { return name_; }
  const EventStream& stream() const { return *stream_; }
  bool off_cpu() const {
    return stream_->meta().off_cpu_available.value_or(false);
  }

  // The number of the file in all tables: another one for any other file, of
  // this machine or another. Once the stream has begun.
  int64_t key() {
    if (key_ == 0) key_ = FindKey();
    return key_;
  }

  void NoteOwner(uint32_t owner, uint32_t request, uint64_t ordinal) {
    if (owner >= owners_.size()) owners_.resize(owner + 1);
    owners_[owner] = {request, request_routes_->Of(ordinal)};
  }
  // Of an owner that has a piece in the timeline, not 0.
  uint32_t RequestOf(uint32_t owner) const { return owners_[owner].request; }
  uint32_t RouteOf(uint32_t owner) const { return owners_[owner].route; }

 private:
  int64_t FindKey() const;

  struct Owner {
    uint32_t request = 0;
    uint32_t route = 0;
  };
  std::string name_;
  const EventStream* stream_ = nullptr;
  const RequestRoutes* request_routes_ = nullptr;
  int64_t key_ = 0;
  std::vector<Owner> owners_;
};

}  // namespace edgewise
