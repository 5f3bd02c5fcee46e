#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "across/rows.h"
#include "across/sessions.h"

namespace edgewise {

// Connections whose two ends have other addresses, since something between them
// translates addresses or passes bytes on: found by the bytes. Of both ends the
// first messages are kept. They are one connection if as many bytes had been
// written at each question as had been read before the next request, and most
// requests lie within their question's time: not all, as who has written may
// lose the processor before it can tell. Messages of several sizes tell more
// than their times. Nothing is said where an end may be that of several others.
class Relays {
 public:
  // Of each side so many connections, and of each so many messages.
  static constexpr size_t kMostSessions = 4096;
  static constexpr size_t kMostCalls = 32;
  static constexpr size_t kMostRequests = 128;
  // So many messages must agree.
  static constexpr size_t kLeast = 5;

  struct Key {
    uint64_t link;
    uint32_t file;
    uint32_t session;
    bool operator<(const Key& other) const {
      return std::tie(link, file, session) <
             std::tie(other.link, other.file, other.session);
    }
  };
  struct Found {
    uint64_t relay = 0;       // its number, from 1; 0: it is none that is known
    uint32_t candidates = 0;  // how many others fit
  };

  // HTTP/1.1, of connections that nobody else knows.
  void AddServed(const Session<ServedRow>& session);
  void AddCalled(const Session<CalledRow>& session);
  // All are added.
  void Match();

  bool any() const { return relays_ > 0; }
  Found OfCalled(const CalledRow& row) const { return Of(called_keys_, row); }
  Found OfServed(const ServedRow& row) const { return Of(served_keys_, row); }

 private:
  // Of both ends, ns. Served: the bytes before it; called: those once it was
  // asked.
  struct Message {
    uint32_t bytes;
    int64_t begin_ns;
    int64_t end_ns;
  };
  struct Sketch {
    Key key;
    uint16_t clock;
    std::vector<Message> messages;
  };

  enum class Likeness : uint8_t { kNone, kMayBe, kIs };

  static Likeness Compare(const Sketch& called, const Sketch& served);
  template <typename Row>
  static Found Of(const std::map<Key, Found>& keys, const Row& row) {
    const auto found = keys.find({row.link, row.file, row.session});
    return found != keys.end() ? found->second : Found{};
  }

  std::vector<Sketch> served_;
  std::vector<Sketch> called_;
  std::map<Key, Found> served_keys_;
  std::map<Key, Found> called_keys_;
  uint64_t relays_ = 0;
};

}  // namespace edgewise
