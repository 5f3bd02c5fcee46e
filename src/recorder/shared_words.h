#pragma once

#include <cstdint>

namespace edgewise {

// What JavaScript and the tracker share, so that JavaScript need not call.
struct SharedWords {
  double execution_id;  // the async id that the current slice runs under

  // An HTTP request that begins before anything else has happened in an event
  // is recorded later, as of the event's begin: JavaScript takes the number
  // `next_request` and leaves it in `begun_request` if it finds kNoRequest
  // there, else it must call RequestStart().
  static constexpr uint32_t kNoRequest = 0;
  static constexpr uint32_t kMustCall = UINT32_MAX;
  uint32_t begun_request;
  uint32_t next_request;

  // A request whose response's last byte was just written to the kernel is
  // recorded later, as of that write: JavaScript that finds `written` set and
  // kNoRequest in `ended_request` leaves the request, its route and its status
  // here, else it must call RequestEnd().
  uint32_t written;  // so many bytes, and nothing recorded since; both clear it
  uint32_t ended_request;
  uint32_t ended_route;
  uint32_t ended_status;
  bool HasBegun() const {
    return begun_request != kNoRequest && begun_request != kMustCall;
  }
  bool HasEnded() const {
    return ended_request != kNoRequest && ended_request != kMustCall;
  }

  // What the promise hooks stamp each promise with: the current slice's number,
  // modulo kSequenceModulus. No double: JavaScript would box each stamp.
  uint32_t sequence;
};

}  // namespace edgewise
