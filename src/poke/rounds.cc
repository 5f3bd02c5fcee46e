#include "poke/rounds.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace edgewise {
namespace {

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is longer than a socket's path may be"));
  }
  path.copy(address.sun_path, path.size());
  return address;
}

const sockaddr* Generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

absl::StatusOr<Gossip> Gossip::At(const std::string& path,
                                  std::vector<std::string> neighbours) {
  const absl::StatusOr<sockaddr_un> address = AddressOf(path);
  if (!address.ok()) return address.status();
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, Generic(*address), sizeof *address) != 0) {
    const int error = errno;
    if (fd >= 0) close(fd);
    return absl::ErrnoToStatus(error, path);
  }
  return Gossip(fd, path, std::move(neighbours));
}

Gossip::Gossip(int fd, std::string path, std::vector<std::string> neighbours)
    : fd_(fd), path_(std::move(path)), neighbours_(std::move(neighbours)) {}

Gossip::Gossip(Gossip&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      neighbours_(std::move(other.neighbours_)) {}

Gossip::~Gossip() {
  if (fd_ < 0) return;
  close(fd_);
  unlink(path_.c_str());
}

std::optional<Round> Gossip::Receive() const {
  Round round;
  const ssize_t size = recv(fd_, &round, sizeof round, MSG_DONTWAIT);
  if (size != sizeof round) return std::nullopt;
  return round;
}

void Gossip::Tell(const Round& round) const {
  for (const std::string& path : neighbours_) {
    const absl::StatusOr<sockaddr_un> address = AddressOf(path);
    if (!address.ok()) continue;
    sendto(fd_, &round, sizeof round, MSG_DONTWAIT | MSG_NOSIGNAL,
           Generic(*address), sizeof *address);
  }
}

absl::StatusOr<CountedProcess> CountedProcess::Follow(const std::string& path,
                                                      uint64_t every) {
  const absl::StatusOr<sockaddr_un> address = AddressOf(path);
  if (!address.ok()) return address.status();
  CountedProcess process(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), every);
  const std::string command =
      absl::StrCat("{\"command\":\"count\",\"every\":", every, "}\n");
  if (process.fd_ < 0 ||
      connect(process.fd_, Generic(*address), sizeof *address) != 0 ||
      send(process.fd_, command.data(), command.size(), MSG_NOSIGNAL) < 0) {
    return absl::ErrnoToStatus(errno, path);
  }
  return process;
}

CountedProcess::CountedProcess(CountedProcess&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      every_(other.every_),
      rounds_(other.rounds_),
      rest_(std::move(other.rest_)) {}

CountedProcess& CountedProcess::operator=(CountedProcess&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(every_, other.every_);
  std::swap(rounds_, other.rounds_);
  std::swap(rest_, other.rest_);
  return *this;
}

CountedProcess::~CountedProcess() {
  if (fd_ >= 0) close(fd_);
}

std::optional<uint64_t> CountedProcess::Read() {
  std::array<char, 4096> part{};
  const ssize_t size = recv(fd_, part.data(), part.size(), MSG_DONTWAIT);
  if (size == 0) return std::nullopt;
  if (size < 0) {
    if (errno == EAGAIN || errno == EINTR) return 0;
    return std::nullopt;
  }
  rest_.append(part.data(), static_cast<size_t>(size));
  const std::optional<uint64_t> count = TakeNewestCount(&rest_);
  if (!count) return 0;
  const uint64_t before = std::exchange(rounds_, *count / every_);
  return rounds_ - before;
}

std::optional<uint64_t> TakeNewestCount(std::string* text) {
  std::optional<uint64_t> newest;
  size_t begin = 0;
  for (size_t end; (end = text->find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    const auto line = absl::string_view(*text).substr(begin, end - begin);
    uint64_t number = 0;
    if (absl::SimpleAtoi(line.substr(0, line.find(' ')), &number)) {
      newest = number;
    }
  }
  text->erase(0, begin);
  return newest;
}

}  // namespace edgewise
