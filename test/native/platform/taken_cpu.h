#pragma once

#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

namespace edgewise {

// Binds the calling thread to `cpus`.
inline void UseCpus(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof(set), &set);
}

// The first two processors that this thread may use; fewer where there are
// none.
inline std::vector<int> TwoCpus() {
  cpu_set_t allowed;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

// A thread that takes the time of a processor.
class TakenCpu {
 public:
  explicit TakenCpu(int cpu)
      : thread_([this, cpu] {
          UseCpus({cpu});
          while (!stop_.load()) {
          }
        }) {}
  ~TakenCpu() {
    stop_ = true;
    thread_.join();
  }
  TakenCpu(const TakenCpu&) = delete;
  TakenCpu& operator=(const TakenCpu&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace edgewise
