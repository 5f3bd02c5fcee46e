#pragma once

#include <uv.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "trace/record.h"

namespace edgewise {

// What a job that Node has given to the thread pool is about. Node keeps that
// behind the request (node::ThreadPoolWork); another's request has anything
// there, and is none.
class NodeJob {
 public:
  static NodeJob Of(const uv_work_t* request);

  // Node's word for it: "crypto", "zlib", "node_api", ...; empty: it is not one
  // of Node's. In Node's memory.
  std::string_view kind() const { return kind_; }

  // The same for all jobs of one name().
  const void* key() const;

  // Its kind; an addon's: the package, or the file, that has the function.
  std::string name() const;

  // Of the event in which it calls back.
  EventType type() const;

  // Since Node 26 whole operations on files are one job each.
  bool IsOfFiles() const { return files_ != nullptr; }

  // What such a job was asked for, in `path`, which has `room`. Empty: it is
  // not where Node is known to keep it.
  std::string_view PathIn(char* path, size_t room) const;

 private:
  struct OfFiles;
  static const OfFiles kOfFiles[];

  std::string_view kind_;
  const void* execute_ = nullptr;   // of an addon's; null: none
  const OfFiles* files_ = nullptr;  // null: it is of none
  const void* behind_ = nullptr;    // what Node keeps behind the kind
};

}  // namespace edgewise
