#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trace/record.h"

namespace edgewise {

// Which name server's answer a resolver's callback is for (dns.resolve and its
// like: c-ares, on the loop's own thread). The answer is read while the loop
// polls, and its callback waits for the check phase, as a native immediate that
// knows nothing but its resource's async id. The counter of those ids when the
// question was sent is that id, as the resolver makes the resource and sends at
// once; a question and its answer share the transaction's number, their first
// two bytes. Loop thread only; never allocates.
class NameQueries {
 public:
  // `data` was sent on `fd`; over a stream each message follows its length.
  void Sent(int fd, bool stream, const uint8_t* data, size_t bytes,
            uint64_t counter);

  // When what follows became ready, and how that is known.
  struct Readiness {
    uint64_t ticks = 0;
    ReadyKind kind = ReadyKind::kNone;
  };

  // `data` was received on `fd`, which Knows().
  void Received(int fd, const uint8_t* data, size_t bytes, Readiness ready);

  // A receive on `fd` has failed otherwise than for want of data: the name
  // server is not there.
  void Failed(int fd, Readiness ready);

  // A timer that may be the resolver's has run: it may have given up.
  void TimerRan(Readiness ready);

  // Whether questions have been sent whose callbacks have not run.
  bool waiting() const { return questions_ > 0; }

  // Whether something was sent on `fd`.
  bool Knows(int fd) const {
    return questions_ > 0 && fd >= 0 && SocketOf(fd).fd == fd;
  }

  // The callback of resource `id` is about to run. False: it is none of a
  // question. Else `*ready`, of kind kNone where nothing tells it.
  bool Take(uint64_t id, Readiness* ready);

  // The callbacks of what has been received until now have run.
  void Settle() {
    if (answers_ > 0 || failed_.ticks != 0) Forget();
  }

 private:
  struct Question {
    uint64_t counter = 0;  // 0: free
    int32_t fd = -1;
    uint16_t number = 0;
  };
  struct Answer {
    uint64_t counter;
    Readiness ready;
  };
  // Where in a stream of messages it is: one direction of a connection.
  struct Framing {
    uint32_t skip = 0;  // of the running message's rest
    uint8_t have = 0;   // bytes of its head: its length, its number
    std::array<uint8_t, 4> head{};
  };
  struct Socket {
    int32_t fd = -1;
    bool stream = false;
    Framing sent;
    Framing received;
  };

  template <typename OnNumber>
  static void ForEachMessage(Framing* framing, const uint8_t* data,
                             size_t bytes, OnNumber on_number);
  void Ask(int fd, uint16_t number, uint64_t counter);
  void AnswerOf(uint16_t number, Readiness ready);
  const Socket& SocketOf(int fd) const {
    return sockets_[static_cast<size_t>(fd) % kSockets];
  }
  void Forget();

  // More than these at once are forgotten: their callbacks are then no dns.
  static constexpr size_t kQuestions = 512;
  static constexpr size_t kSockets = 256;  // by number, modulo this
  std::array<Question, kQuestions> asked_{};
  std::array<Answer, kQuestions> answered_{};  // since the last Settle()
  std::array<Socket, kSockets> sockets_{};
  size_t questions_ = 0;
  size_t answers_ = 0;
  size_t next_question_ = 0;
  Readiness failed_;  // the last failure since the last Settle()
};

}  // namespace edgewise
