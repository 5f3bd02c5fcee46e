#include "hooks/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

// The file, and what of it may move.
class MapFile {
 public:
  // A new file, which nobody else can have put there.
  absl::Status Open(const std::string& path) {
    if (users_++ > 0) return absl::OkStatus();
    unlink(path.c_str());
    const int fd =
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
             S_IRUSR | S_IWUSR);
    file_ = fd < 0 ? nullptr : fdopen(fd, "w");
    if (file_ != nullptr) return absl::OkStatus();
    const int error = errno;
    if (fd >= 0) close(fd);
    users_ = 0;
    return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", path));
  }

  void Close() {
    if (--users_ > 0) return;
    fclose(std::exchange(file_, nullptr));
    functions_.clear();
  }

  bool is_open() const { return file_ != nullptr; }

  void Add(const void* begin, size_t bytes, std::string name) {
    for (char& letter : name) {
      if (letter == '\n') letter = ' ';
    }
    Function& function = functions_[begin];
    function = {bytes, std::move(name)};
    Write(begin, function);
  }

  void Move(const void* from, const void* to) {
    const auto found = functions_.find(from);
    if (found == functions_.end()) return;
    Function function = std::move(found->second);
    functions_.erase(found);
    Write(to, function);
    functions_[to] = std::move(function);
  }

  void Remove(const void* begin) { functions_.erase(begin); }
  void Flush() { fflush(file_); }

 private:
  struct Function {
    size_t bytes = 0;
    std::string name;
  };

  void Write(const void* begin, const Function& function) {
    fprintf(file_, "%lx %zx %s\n",
            static_cast<unsigned long>(reinterpret_cast<uintptr_t>(begin)),
            function.bytes, function.name.c_str());
  }

  int users_ = 0;  // threads
  FILE* file_ = nullptr;
  absl::flat_hash_map<const void*, Function> functions_;
};

std::mutex mutex;

// Under the mutex. Kept: V8 may tell of code until the process has ended.
MapFile& File() {
  static auto* const file = new MapFile;
  return *file;
}

// Of the running thread.
thread_local bool writes = false;
thread_local bool enumerates = false;
thread_local size_t enumerated = 0;

// Bytecode is no machine code; it would be most of the file.
void OnCode(const v8::JitCodeEvent* event) {
  if (event->code_type != v8::JitCodeEvent::JIT_CODE) return;
  const std::lock_guard lock(mutex);
  MapFile& file = File();
  if (!file.is_open()) return;
  switch (event->type) {
    case v8::JitCodeEvent::CODE_ADDED:
      file.Add(event->code_start, event->code_len,
               std::string(event->name.str, event->name.len));
      ++enumerated;
      break;
    case v8::JitCodeEvent::CODE_MOVED:
      file.Move(event->code_start, event->new_code_start);
      break;
    case v8::JitCodeEvent::CODE_REMOVED:
      file.Remove(event->code_start);
      return;
    default:
      return;  // lines
  }
  if (!enumerates) file.Flush();
}

}  // namespace

absl::StatusOr<PerfMap::Begun> PerfMap::Start(v8::Isolate* isolate) {
  if (writes) return absl::AlreadyExistsError("it is on already");
  Begun begun;
  begun.path = absl::StrCat("/tmp/perf-", getpid(), ".map");
  {
    const std::lock_guard lock(mutex);
    if (const absl::Status status = File().Open(begun.path); !status.ok()) {
      return status;
    }
  }
  writes = enumerates = true;
  enumerated = 0;
  const int64_t begin_ns = MonotonicNs();
  isolate->SetJitCodeEventHandler(v8::kJitCodeEventEnumExisting, &OnCode);
  enumerates = false;
  {
    const std::lock_guard lock(mutex);
    File().Flush();
  }
  begun.functions = enumerated;
  begun.pause_ns = MonotonicNs() - begin_ns;
  return begun;
}

void PerfMap::Stop(v8::Isolate* isolate) {
  if (!std::exchange(writes, false)) return;
  isolate->SetJitCodeEventHandler(v8::kJitCodeEventDefault, nullptr);
  const std::lock_guard lock(mutex);
  File().Close();
}

}  // namespace edgewise
