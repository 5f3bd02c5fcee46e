#include "hooks/node_job.h"

#include <dlfcn.h>
#include <node.h>

#include <cstddef>
#include <cstdint>
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

// The begin of a std::string as libstdc++ has it, with which Node is built.
struct Text {
  const char* first;
  size_t length;
};

// A word that is a path of Node's: no part of it is missing, nothing follows.
std::string_view TextAt(const void* text, char* copy, size_t room) {
  Text found;
  if (!ReadOwnMemory(text, &found, sizeof(found))) return {};
  if (found.length == 0 || found.length >= room) return {};
  if (!ReadOwnMemory(found.first, copy, found.length + 1)) return {};
  if (strnlen(copy, found.length + 1) != found.length) return {};
  return {copy, found.length};
}

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

struct NodeJob::OfFiles {
  std::string_view kind;
  EventType type;
  // Several jobs do one operation: its path lies in what they share.
  bool shared;
};

const NodeJob::OfFiles NodeJob::kOfFiles[] = {
    {"fs.readfile", EventType::kFsRead, false},
    {"fs.writefile", EventType::kFsWrite, false},
    {"fs.cp", EventType::kFsOther, false},
    {"readdir_recursive", EventType::kFsReaddir, true},
};

NodeJob NodeJob::Of(const uv_work_t* request) {
  NodeJob job;
  const auto* const behind = reinterpret_cast<const Behind*>(request + 1);
  const char* kind = nullptr;
  if (!ReadOwnMemory(&behind->kind, &kind, sizeof(kind))) return job;
  if (NodeItself() == nullptr || ObjectOf(kind) != NodeItself()) return job;
  job.kind_ = std::string_view(kind, strnlen(kind, kLongestKind));
  for (const OfFiles& each : kOfFiles) {
    if (job.kind_ == each.kind) job.files_ = &each;
  }
  job.behind_ = &behind->env;
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

EventType NodeJob::type() const {
  return files_ != nullptr ? files_->type : EventType::kThreadPool;
}

std::string_view NodeJob::PathIn(char* path, size_t room) const {
  if (files_ == nullptr) return {};
  if (!files_->shared) return TextAt(behind_, path, room);
  // Who reports comes first: an object of two words.
  constexpr size_t kReporter = 2 * sizeof(void*);
  uintptr_t shared = 0;
  if (!ReadOwnMemory(behind_, &shared, sizeof(shared))) return {};
  return TextAt(reinterpret_cast<const void*>(shared + kReporter), path, room);
}

}  // namespace edgewise
