#include "hooks/node_job.h"

#include <dlfcn.h>
#include <node.h>

#include <cstddef>
#include <cstring>

#include "platform/own_memory.h"

namespace edgewise {
namespace {

constexpr size_t kLongestKind = 32;
constexpr std::string_view kAddons = "node_api";

// Behind the uv_work_t of a node::ThreadPoolWork; what an addon has asked for
// goes on with more.
struct Behind {
  const char* kind;
  const void* env;
  const void* data;
  const void* execute;
};

// Of the program or library that an address lies in; null: in none.
const void* ObjectOf(const void* address, const char** file = nullptr) {
  Dl_info found;
  if (address == nullptr || dladdr(address, &found) == 0) return nullptr;
  if (file != nullptr) *file = found.dli_fname;
  return found.dli_fbase;
}

const void* NodeItself() {
  static const void* const node =
      ObjectOf(reinterpret_cast<const void*>(&node::GetCurrentEventLoop));
  return node;
}

// The package of a file; its own name, if it is in none.
std::string PackageOf(std::string_view file) {
  constexpr std::string_view kModules = "/node_modules/";
  const size_t modules = file.rfind(kModules);
  if (modules == std::string_view::npos) {
    return std::string(file.substr(file.rfind('/') + 1));
  }
  const std::string_view inside = file.substr(modules + kModules.size());
  size_t end = inside.find('/');
  if (inside.starts_with('@') && end != std::string_view::npos) {
    end = inside.find('/', end + 1);
  }
  return std::string(inside.substr(0, end));
}

}  // namespace

NodeJob NodeJob::Of(const uv_work_t* request) {
  NodeJob job;
  const auto* const behind = reinterpret_cast<const Behind*>(request + 1);
  const char* kind = nullptr;
  if (!ReadOwnMemory(&behind->kind, &kind, sizeof(kind))) return job;
  if (NodeItself() == nullptr || ObjectOf(kind) != NodeItself()) return job;
  job.kind_ = std::string_view(kind, strnlen(kind, kLongestKind));
  if (job.kind_ != kAddons) return job;
  const void* execute = nullptr;
  if (!ReadOwnMemory(&behind->execute, &execute, sizeof(execute))) return job;
  const void* const object = ObjectOf(execute);
  if (object != nullptr && object != NodeItself()) job.execute_ = execute;
  return job;
}

const void* NodeJob::key() const {
  return execute_ != nullptr ? execute_ : kind_.data();
}

std::string NodeJob::name() const {
  const char* file = nullptr;
  if (execute_ == nullptr || ObjectOf(execute_, &file) == nullptr) {
    return std::string(kind_);
  }
  return PackageOf(file);
}

}  // namespace edgewise
