#include "platform/cycle_counters.h"

#if __has_include(<papi.h>)
#include <dlfcn.h>
#include <papi.h>
#include <pthread.h>

#include <array>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

template <typename Function>
bool Find(void* handle, const char* name, Function** function) {
  *function = reinterpret_cast<Function*>(dlsym(handle, name));
  return *function != nullptr;
}

std::string InstalledLibrary() {
  return absl::StrCat("libpapi.so.", PAPI_VERSION_MAJOR(PAPI_VER_CURRENT), ".",
                      PAPI_VERSION_MINOR(PAPI_VER_CURRENT));
}

// What PAPI does once for a process is not for two threads at a time.
std::mutex& InitMutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

struct CycleCounters::Api {
  decltype(PAPI_library_init)* library_init;
  decltype(PAPI_thread_init)* thread_init;
  decltype(PAPI_create_eventset)* create_eventset;
  decltype(PAPI_add_event)* add_event;
  decltype(PAPI_start)* start;
  decltype(PAPI_read)* read;
  decltype(PAPI_stop)* stop;
  decltype(PAPI_cleanup_eventset)* cleanup_eventset;
  decltype(PAPI_destroy_eventset)* destroy_eventset;
  decltype(PAPI_strerror)* strerror;
  decltype(PAPI_get_component_info)* component_info;

  bool FindIn(void* handle) {
    return Find(handle, "PAPI_library_init", &library_init) &&
           Find(handle, "PAPI_thread_init", &thread_init) &&
           Find(handle, "PAPI_create_eventset", &create_eventset) &&
           Find(handle, "PAPI_add_event", &add_event) &&
           Find(handle, "PAPI_start", &start) &&
           Find(handle, "PAPI_read", &read) &&
           Find(handle, "PAPI_stop", &stop) &&
           Find(handle, "PAPI_cleanup_eventset", &cleanup_eventset) &&
           Find(handle, "PAPI_destroy_eventset", &destroy_eventset) &&
           Find(handle, "PAPI_strerror", &strerror) &&
           Find(handle, "PAPI_get_component_info", &component_info);
  }
};

CycleCounters::CycleCounters(const std::string& library) : events_(PAPI_NULL) {
  unavailable_ = Open(library.empty() ? InstalledLibrary() : library);
  if (unavailable_.empty()) unavailable_ = Start();
}

CycleCounters::~CycleCounters() {
  if (unavailable_.empty()) {
    std::array<long long, 2> ignored;  // NOLINT(runtime/int): as PAPI has it
    api_->stop(events_, ignored.data());
  }
  if (events_ != PAPI_NULL) {
    api_->cleanup_eventset(events_);
    api_->destroy_eventset(&events_);
  }
  // The library stays loaded: it has something of each thread.
}

std::optional<CycleCounters::Counts> CycleCounters::Read() {
  if (!unavailable_.empty()) return std::nullopt;
  std::array<long long, 2> values;  // NOLINT(runtime/int): as PAPI has it
  if (api_->read(events_, values.data()) != PAPI_OK) return std::nullopt;
  return Counts{static_cast<uint64_t>(values[0]),
                static_cast<uint64_t>(values[1])};
}

std::string CycleCounters::Open(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return absl::StrCat(library, " is not installed (Debian: libpapi7.0)");
  }
  auto api = std::make_unique<Api>();
  if (!api->FindIn(handle)) return absl::StrCat(library, " is not PAPI");
  api_ = std::move(api);
  const std::scoped_lock lock(InitMutex());
  const int version = api_->library_init(PAPI_VER_CURRENT);
  if (version != PAPI_VER_CURRENT) {
    return absl::StrCat("PAPI does not begin: ", Explain(version));
  }
  const int error = api_->thread_init(pthread_self);
  return error == PAPI_OK ? "" : Explain(error);
}

std::string CycleCounters::Start() {
  int error = api_->create_eventset(&events_);
  for (const int event : {PAPI_TOT_INS, PAPI_TOT_CYC}) {
    if (error == PAPI_OK) error = api_->add_event(events_, event);
  }
  if (error == PAPI_OK) error = api_->start(events_);
  return error == PAPI_OK ? "" : Explain(error);
}

// The component of the processor's counters is PAPI's first.
std::string CycleCounters::Explain(int error) const {
  std::string text = absl::StrCat("PAPI: ", api_->strerror(error));
  const PAPI_component_info_t* const component = api_->component_info(0);
  if (component != nullptr && component->disabled != PAPI_OK) {
    absl::StrAppend(&text, " (", component->name, ": ",
                    component->disabled_reason, ")");
  }
  return text;
}

}  // namespace edgewise

#else

namespace edgewise {

struct CycleCounters::Api {};

CycleCounters::CycleCounters(const std::string& /*library*/)
    : events_(0),
      unavailable_("this was compiled without PAPI (Debian: libpapi-dev)") {}
CycleCounters::~CycleCounters() = default;

std::optional<CycleCounters::Counts> CycleCounters::Read() {
  return std::nullopt;
}

}  // namespace edgewise

#endif
