#include "recorder/name_queries.h"

#include <algorithm>

namespace edgewise {
namespace {

uint16_t NumberAt(const uint8_t* bytes) {
  return static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
}

// A message's header alone.
constexpr size_t kLeastBytes = 12;

}  // namespace

// Messages of a stream come in any pieces: of each, its length and its number
// are the first four bytes.
template <typename OnNumber>
void NameQueries::ForEachMessage(Framing* framing, const uint8_t* data,
                                 size_t bytes, OnNumber on_number) {
  while (bytes > 0) {
    if (framing->skip > 0) {
      const size_t skipped = std::min<size_t>(framing->skip, bytes);
      framing->skip -= static_cast<uint32_t>(skipped);
      data += skipped;
      bytes -= skipped;
      continue;
    }
    framing->head[framing->have++] = *data++;
    --bytes;
    if (framing->have < framing->head.size()) continue;
    framing->have = 0;
    const uint16_t length = NumberAt(&framing->head[0]);
    framing->skip = length > 2 ? length - 2u : 0;
    on_number(NumberAt(&framing->head[2]));
  }
}

void NameQueries::Sent(int fd, bool stream, const uint8_t* data, size_t bytes,
                       uint64_t counter) {
  if (fd < 0 || counter == 0) return;
  Socket& socket = sockets_[static_cast<size_t>(fd) % kSockets];
  if (socket.fd != fd || socket.stream != stream) {
    socket = {};
    socket.fd = fd;
    socket.stream = stream;
  }
  if (stream) {
    ForEachMessage(&socket.sent, data, bytes,
                   [&](uint16_t number) { Ask(fd, number, counter); });
  } else if (bytes >= kLeastBytes) {
    Ask(fd, NumberAt(data), counter);
  }
}

void NameQueries::Ask(int fd, uint16_t number, uint64_t counter) {
  for (Question& question : asked_) {
    // The same question again, of a server that did not answer or over a
    // stream: the resource is the one that asked first.
    if (question.counter != 0 && question.number == number) {
      question.fd = fd;
      return;
    }
  }
  Question& question = asked_[next_question_++ % kQuestions];
  if (question.counter == 0) ++questions_;
  question = {counter, fd, number};
}

void NameQueries::Received(int fd, const uint8_t* data, size_t bytes,
                           Readiness ready) {
  if (!Knows(fd)) return;
  Socket& socket = sockets_[static_cast<size_t>(fd) % kSockets];
  if (socket.stream) {
    ForEachMessage(&socket.received, data, bytes,
                   [&](uint16_t number) { AnswerOf(number, ready); });
  } else if (bytes >= kLeastBytes) {
    AnswerOf(NumberAt(data), ready);
  }
}

void NameQueries::AnswerOf(uint16_t number, Readiness ready) {
  for (const Question& question : asked_) {
    if (question.counter == 0 || question.number != number) continue;
    // The last counts: one that asks for the stream came before it.
    for (size_t i = 0; i < answers_; ++i) {
      if (answered_[i].counter != question.counter) continue;
      answered_[i].ready = ready;
      return;
    }
    if (answers_ < answered_.size()) {
      answered_[answers_++] = {question.counter, ready};
    }
    return;
  }
}

void NameQueries::Failed(int fd, Readiness ready) {
  if (Knows(fd)) failed_ = ready;
}

void NameQueries::TimerRan(Readiness ready) { failed_ = ready; }

bool NameQueries::Take(uint64_t id, Readiness* ready) {
  if (questions_ == 0 || id == 0) return false;
  bool found = false;
  for (Question& question : asked_) {
    if (question.counter != id) continue;
    // The resolver may have asked several servers.
    question = {};
    --questions_;
    found = true;
  }
  if (!found) return false;
  *ready = failed_;
  for (size_t i = 0; i < answers_; ++i) {
    if (answered_[i].counter == id) *ready = answered_[i].ready;
  }
  return true;
}

void NameQueries::Forget() {
  answers_ = 0;
  failed_ = {};
}

}  // namespace edgewise
