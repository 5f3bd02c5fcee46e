// A PAPI whose processor has done what FAKE_PAPI_STEP instructions (and two
// thirds as many cycles) do between two reads. FAKE_PAPI_FAILS names the
// function that fails.

#include <papi.h>

#include <cstdlib>
#include <cstring>

namespace {

int Answer(const char* function) {
  const char* const fails = getenv("FAKE_PAPI_FAILS");
  return fails != nullptr && strcmp(fails, function) == 0 ? PAPI_ECMP : PAPI_OK;
}

long long Step() {  // NOLINT(runtime/int)
  const char* const step = getenv("FAKE_PAPI_STEP");
  return step == nullptr ? 0 : atoll(step);
}

long long instructions = 0;  // NOLINT(runtime/int)
PAPI_component_info_t component;

}  // namespace

extern "C" {

int PAPI_library_init(int version) {
  return Answer("init") == PAPI_OK ? version : PAPI_ECMP;
}
int PAPI_thread_init(unsigned long (*)()) { return PAPI_OK; }  // NOLINT
int PAPI_create_eventset(int* events) {
  *events = 1;
  return PAPI_OK;
}
int PAPI_add_event(int, int) { return Answer("add"); }
int PAPI_start(int) { return Answer("start"); }
int PAPI_read(int, long long* values) {  // NOLINT(runtime/int)
  instructions += Step();
  values[0] = instructions;
  values[1] = instructions * 2 / 3;
  return Answer("read");
}
int PAPI_stop(int, long long*) { return PAPI_OK; }  // NOLINT(runtime/int)
int PAPI_cleanup_eventset(int) { return PAPI_OK; }
int PAPI_destroy_eventset(int*) { return PAPI_OK; }
char* PAPI_strerror(int) { return const_cast<char*>("an error"); }
const PAPI_component_info_t* PAPI_get_component_info(int) {
  strncpy(component.name, "perf_event", sizeof(component.name) - 1);
  strncpy(component.disabled_reason, "no counters",
          sizeof(component.disabled_reason) - 1);
  component.disabled = Answer("add");
  return &component;
}
}
