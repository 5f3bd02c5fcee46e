#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/graph/request_graph.h"
#include "trace/record.h"

namespace edgewise {

struct CriticalPath;

// Something outside the program that requests wait for.
struct Dependency {
  std::string kind;     // "redis", "tcp", "file", "timer", ...
  std::string peer;     // "10.0.0.7:6379"; "": it has none, or it is not known
  bool asked = false;   // on a connection: calls are counted
  bool pooled = false;  // libuv's threads do it
  // Of its connections that TCP has measured: sums.
  uint64_t measured = 0;
  uint64_t retransmits = 0;
  uint64_t round_trips_us = 0;
  uint32_t pool_threads = 0;  // so many, as far as seen; 0: not known
  std::string what() const { return peer.empty() ? kind : kind + " " + peer; }
};

// The dependencies, and the names of the calls that are made there, of all
// files of one analysis. Beyond a number of each the rest shares one entry.
class DependencyTable {
 public:
  static constexpr size_t kMaxDependencies = 1000;
  static constexpr size_t kMaxCalls = 10000;
  static constexpr uint32_t kUnknown = 0;  // also "no call"
  static constexpr uint32_t kOther = 1;

  DependencyTable();
  uint32_t Intern(std::string_view kind);
  // Of a connection.
  uint32_t Intern(std::string_view protocol, std::string_view peer);
  // Of a connection where this was asked: the protocol is the first word, and
  // whom a TLS handshake names is the peer.
  uint32_t InternCalled(std::string_view operation, std::string_view peer);
  // Of work that is done elsewhere; `about`: "" where that is not known.
  uint32_t InternWork(std::string_view kind, std::string_view about);
  // Work of this kind was done by libuv's threads, of which there are so many.
  void NotePool(uint32_t dependency, uint32_t threads);
  // TCP has measured a connection to it.
  void NoteTcp(uint32_t dependency, uint32_t retransmits,
               uint32_t round_trip_us);
  // What the recorder says is asked: "redis GET".
  uint32_t InternCall(std::string_view text);
  const Dependency& At(uint32_t dependency) const {
    return dependencies_[dependency];
  }
  const std::string& Call(uint32_t call) const { return calls_[call]; }
  uint32_t size() const { return static_cast<uint32_t>(dependencies_.size()); }

 private:
  uint32_t Intern(Dependency dependency);

  std::vector<Dependency> dependencies_;
  std::vector<std::string> calls_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
  absl::flat_hash_map<std::string, uint32_t> call_numbers_;
};

// What an event of this type waits for where no connection tells.
const char* DependencyKind(EventType type);

// What the tail waited for, by dependency.
class DependencyLedger {
 public:
  struct Entry {
    uint32_t dependency = 0;
    double io_ns = 0;
    uint64_t calls = 0;     // questions that left
    uint64_t requests = 0;  // that waited for it
    uint64_t in_turn = 0;   // waits on critical paths that followed each other
    uint64_t most_in_turn = 0;   // in one request
    double pool_queue_ns = 0;    // of io_ns: libuv's threads were all busy
    double pool_unknown_ns = 0;  // of io_ns: it is not known whether they were
  };

  void AddRequest(const RequestGraph& graph, const CriticalPath& path);
  // Of whom something was waited for, or asked; largest first.
  std::vector<Entry> Entries() const;

 private:
  struct Seen {
    uint64_t request = 0;  // by number: the last one that waited for it
    uint64_t in_turn = 0;  // in that one
  };

  Entry& EntryOf(uint32_t dependency);

  std::vector<Entry> entries_;
  std::vector<Seen> seen_;
  uint64_t requests_ = 0;
};

}  // namespace edgewise
