#pragma once

#include <uv.h>

#include <string>
#include <string_view>

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

 private:
  std::string_view kind_;
  const void* execute_ = nullptr;  // of an addon's; null: none
};

}  // namespace edgewise
