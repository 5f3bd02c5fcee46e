#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace edgewise {

// A process that does nothing but live, to be paused.
class ServiceProcess {
 public:
  ServiceProcess() : pid_(fork()) {
    while (pid_ == 0) pause();
  }
  ~ServiceProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool IsStopped() const { return State() == 'T'; }

  // Whether it comes to that within 5 s.
  bool Becomes(bool stopped) const {
    for (int i = 0; i < 5000; ++i) {
      if (IsStopped() == stopped) return true;
      usleep(1000);
    }
    return false;
  }

 private:
  char State() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
    std::string text;
    std::getline(file, text);
    return text.at(text.rfind(')') + 2);
  }

  pid_t pid_;
};

}  // namespace edgewise
