#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace edgewise {

// A /sys below a temporary directory, with a /run and a /dev/shm beside it,
// removed in the end. Its files are plain
// ones: what is written stays behind what is shorter, and readers take the
// first line, as edgewise does.
class FakeSysfs {
 public:
  FakeSysfs() {
    std::string pattern = testing::TempDir() + "edgewise-sysfs-XXXXXX";
    root_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(root_ + kCpus);
    std::filesystem::create_directories(root_ + "/run");
    std::filesystem::create_directories(root_ + "/dev/shm");
  }
  ~FakeSysfs() { std::filesystem::remove_all(root_); }
  FakeSysfs(const FakeSysfs&) = delete;
  FakeSysfs& operator=(const FakeSysfs&) = delete;

  const std::string& root() const { return root_; }

  // Of a path below /sys.
  std::string Path(const std::string& file) const {
    return root_ + "/sys/" + file;
  }

  void Write(const std::string& file, const std::string& value) const {
    std::filesystem::create_directories(
        std::filesystem::path(Path(file)).parent_path());
    std::ofstream(Path(file)) << value << '\n';
  }

  std::string Read(const std::string& file) const {
    std::ifstream stream(Path(file));
    std::string line;
    std::getline(stream, line);
    return line;
  }

  void Remove(const std::string& file) const {
    std::filesystem::remove_all(Path(file));
  }

  // A file that leads elsewhere: /dev/full, a descriptor.
  void Link(const std::string& file, const std::string& target) const {
    Remove(file);
    std::filesystem::create_symlink(target, Path(file));
  }

  static std::string Policy(int number, const std::string& file = "") {
    return "devices/system/cpu/cpufreq/policy" + std::to_string(number) +
           (file.empty() ? "" : "/" + file);
  }

  // The paper's processor, 1.2 to 4.0 GHz with 2.6 nominal, under schedutil,
  // with the governor userspace. `number` counts the CPUs that this thread may
  // run on.
  void AddPolicy(int number) const {
    Write(Policy(number, "affected_cpus"), std::to_string(Cpu(number)));
    Write(Policy(number, "cpuinfo_min_freq"), "1200000");
    Write(Policy(number, "cpuinfo_max_freq"), "4000000");
    Write(Policy(number, "cpuinfo_transition_latency"), "20000");
    Write(Policy(number, "base_frequency"), "2600000");
    Write(Policy(number, "scaling_available_governors"),
          "performance userspace schedutil");
    Write(Policy(number, "scaling_cur_freq"), "1200000");
    Write(Policy(number, "scaling_governor"), "schedutil");
    Write(Policy(number, "scaling_max_freq"), "4000000");
    Write(Policy(number, "scaling_min_freq"), "1200000");
    Write(Policy(number, "scaling_setspeed"), "<unsupported>");
  }

  void WithoutUserspace(int number) const {
    Write(Policy(number, "scaling_available_governors"),
          "performance schedutil");
  }

 private:
  static constexpr char kCpus[] = "/sys/devices/system/cpu/cpufreq";

  static int Cpu(int number) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    EXPECT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
    }
    return cpus[static_cast<size_t>(number) % cpus.size()];
  }

  std::string root_;
};

}  // namespace edgewise
