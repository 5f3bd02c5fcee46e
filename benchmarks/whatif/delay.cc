// edgewise-delay PORT: a service that takes the time it is told. Each line of a
// connection, "ID MICROSECONDS", is answered by "ID" so much later; answers of
// one connection overtake each other.

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <queue>
#include <string>
#include <string_view>

namespace {

int64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

struct Answer {
  int64_t at_ns;
  int fd;
  std::string id;
  bool operator<(const Answer& other) const { return at_ns > other.at_ns; }
};

class Delay {
 public:
  explicit Delay(uint16_t port) {
    poll_ = epoll_create1(EPOLL_CLOEXEC);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address),
             sizeof address) != 0 ||
        listen(listener_, SOMAXCONN) != 0) {
      perror("edgewise-delay");
      std::exit(1);
    }
    Watch(listener_);
    Watch(timer_);
  }

  void Run() {
    std::array<epoll_event, 64> events{};
    while (true) {
      const int count = epoll_wait(poll_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[i].data.fd;
        if (fd == listener_) {
          Accept();
        } else if (fd == timer_) {
          uint64_t times = 0;
          if (read(timer_, &times, sizeof times) < 0) continue;
        } else {
          Take(fd);
        }
      }
      AnswerDue();
    }
  }

 private:
  void Watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(poll_, EPOLL_CTL_ADD, fd, &event);
  }

  void Accept() const {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Watch(fd);
  }

  void Take(int fd) {
    std::array<char, 1 << 16> buffer{};
    const ssize_t size = read(fd, buffer.data(), buffer.size());
    if (size <= 0) {
      close(fd);
      unread_.erase(fd);
      return;
    }
    std::string& text = unread_[fd];
    text.append(buffer.data(), static_cast<size_t>(size));
    size_t begin = 0;
    for (size_t end; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      const std::string_view line(text.data() + begin, end - begin);
      const size_t space = line.find(' ');
      int64_t us = 0;
      if (space == std::string_view::npos) continue;
      std::from_chars(line.data() + space + 1, line.data() + line.size(), us);
      due_.push({NowNs() + us * 1000, fd, std::string(line.substr(0, space))});
    }
    text.erase(0, begin);
  }

  void AnswerDue() {
    while (!due_.empty() && due_.top().at_ns <= NowNs()) {
      const std::string line = due_.top().id + "\n";
      if (write(due_.top().fd, line.data(), line.size()) < 0) perror("write");
      due_.pop();
    }
    if (due_.empty()) return;
    itimerspec next{};
    next.it_value.tv_sec = due_.top().at_ns / 1'000'000'000;
    next.it_value.tv_nsec = due_.top().at_ns % 1'000'000'000;
    timerfd_settime(timer_, TFD_TIMER_ABSTIME, &next, nullptr);
  }

  int poll_;
  int timer_;
  int listener_;
  std::map<int, std::string> unread_;
  std::priority_queue<Answer> due_;
};

}  // namespace

int main(int argc, char** argv) {
  const int port = argc == 2 ? std::atoi(argv[1]) : 0;
  if (port <= 0 || port > 65535) {
    std::fprintf(stderr, "usage: edgewise-delay PORT\n");
    return 2;
  }
  Delay(static_cast<uint16_t>(port)).Run();
}
