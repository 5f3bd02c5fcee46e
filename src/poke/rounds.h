#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// How pokers learn that the target has come to another round.

namespace edgewise {

// Word of a round from one poker to its neighbours: a datagram.
struct Round {
  uint64_t run = 0;  // of the experiment's runs: what is late from the last one
                     // counts no more
  uint64_t number = 0;  // from 1
};

// A poker's own socket, and those of its neighbours.
class Gossip {
 public:
  // Unavailable: nothing can be bound to `path`.
  static absl::StatusOr<Gossip> At(const std::string& path,
                                   std::vector<std::string> neighbours);
  Gossip(Gossip&& other) noexcept;
  Gossip& operator=(Gossip&&) = delete;
  ~Gossip();

  int fd() const { return fd_; }
  // Does not wait; none: nothing has come.
  std::optional<Round> Receive() const;
  // Does not wait. A neighbour that cannot take it hears of it with the next.
  void Tell(const Round& round) const;

 private:
  Gossip(int fd, std::string path, std::vector<std::string> neighbours);

  int fd_;
  std::string path_;
  std::vector<std::string> neighbours_;
};

// The requests that a recorded process counts, by its control socket: a line
// with their number, and the time, whenever so many more have begun.
class CountedProcess {
 public:
  // Asks the process behind the control socket at `path`. Unavailable: it does
  // not answer.
  static absl::StatusOr<CountedProcess> Follow(const std::string& path,
                                               uint64_t every);
  CountedProcess(CountedProcess&& other) noexcept;
  CountedProcess& operator=(CountedProcess&& other) noexcept;
  ~CountedProcess();

  int fd() const { return fd_; }
  // Reads what has come; how many rounds are over since. None: it has hung up.
  std::optional<uint64_t> Read();

 private:
  CountedProcess(int fd, uint64_t every) : fd_(fd), every_(every) {}

  int fd_;
  uint64_t every_;
  uint64_t rounds_ = 0;
  std::string rest_;
};

// The newest of the numbers that whole lines of `text` begin with, and takes
// these lines off it; none where there is none. Lines that begin with no number
// (the answer to the command) are passed over.
std::optional<uint64_t> TakeNewestCount(std::string* text);

}  // namespace edgewise
