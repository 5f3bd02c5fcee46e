// What keeps a thread from running, and what the kernel says of it.

#include <fcntl.h>
#include <node_api.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>

namespace {

double Ns(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 +
         static_cast<double>(time.tv_nsec);
}

double Milliseconds(napi_env env, napi_callback_info info) {
  napi_value argument;
  size_t count = 1;
  napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr);
  double number = 0;
  napi_get_value_double(env, argument, &number);
  return number;
}

// How long this thread has waited for a processor, ns.
double DelayNs() {
  FILE* const file = fopen("/proc/thread-self/schedstat", "re");
  if (file == nullptr) return 0;
  double cpu = 0, delay = 0;
  const bool read = fscanf(file, "%lf %lf", &cpu, &delay) == 2;
  fclose(file);
  return read ? delay : 0;
}

// times(): [now, processor, delay] of this thread, ns, its major faults and how
// often it has slept.
napi_value Times(napi_env env, napi_callback_info) {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  const double times[] = {Ns(CLOCK_MONOTONIC), Ns(CLOCK_THREAD_CPUTIME_ID),
                          DelayNs(), static_cast<double>(usage.ru_majflt),
                          static_cast<double>(usage.ru_nvcsw)};
  napi_value array;
  napi_create_array(env, &array);
  for (uint32_t i = 0; i < std::size(times); ++i) {
    napi_value number;
    napi_create_double(env, times[i], &number);
    napi_set_element(env, array, i, number);
  }
  return array;
}

// spin(ms): for so long on the processor.
napi_value Spin(napi_env env, napi_callback_info info) {
  const double until =
      Ns(CLOCK_THREAD_CPUTIME_ID) + 1e6 * Milliseconds(env, info);
  while (Ns(CLOCK_THREAD_CPUTIME_ID) < until) {
  }
  return nullptr;
}

// lock(ms): takes a lock that another thread gives back after so long.
napi_value Lock(napi_env env, napi_callback_info info) {
  const auto pause =
      std::chrono::duration<double, std::milli>(Milliseconds(env, info));
  std::mutex mutex;
  std::atomic<bool> held{false};
  std::thread other([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    held = true;
    std::this_thread::sleep_for(pause);
  });
  while (!held) std::this_thread::yield();
  { const std::lock_guard<std::mutex> lock(mutex); }
  other.join();
  return nullptr;
}

// touch(path, step, alone): reads a byte of each so many of a mapped file;
// alone: no page beside that one.
napi_value Touch(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  size_t count = 3;
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  char path[4096];
  napi_get_value_string_utf8(env, arguments[0], path, sizeof(path), &count);
  double step = 0;
  napi_get_value_double(env, arguments[1], &step);
  bool alone = false;
  napi_get_value_bool(env, arguments[2], &alone);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    napi_throw_error(env, nullptr, "no such file");
    return nullptr;
  }
  const auto bytes = static_cast<size_t>(status.st_size);
  void* const memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (alone) madvise(memory, bytes, MADV_RANDOM);
  const volatile char* const text = static_cast<char*>(memory);
  for (size_t at = 0; at < bytes; at += static_cast<size_t>(step)) text[at];
  munmap(memory, bytes);
  close(file);
  return nullptr;
}

napi_value Init(napi_env env, napi_value exports) {
  const napi_property_descriptor functions[] = {
      {"times", nullptr, Times, nullptr, nullptr, nullptr, napi_default,
       nullptr},
      {"spin", nullptr, Spin, nullptr, nullptr, nullptr, napi_default, nullptr},
      {"lock", nullptr, Lock, nullptr, nullptr, nullptr, napi_default, nullptr},
      {"touch", nullptr, Touch, nullptr, nullptr, nullptr, napi_default,
       nullptr}};
  napi_define_properties(env, exports, 4, functions);
  return exports;
}

}  // namespace

NAPI_MODULE(not_running, Init)
