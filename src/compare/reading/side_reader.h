#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "analysis/page/cause_table.h"
#include "analysis/rows/cause_clock.h"
#include "analysis/rows/request_watcher.h"
#include "compare/sample/side.h"

namespace edgewise {

// What both sides, and all recordings of them, name alike.
class NameTable {
 public:
  uint32_t Route(const std::string& name) {
    return Of(name, &route_numbers_, &names_.routes, name);
  }
  uint32_t Detail(LatencyPart part, const std::string& name) {
    return Of({part, name}, &detail_numbers_, &names_.details,
              SideNames::Detail{part, name});
  }
  const SideNames& names() const { return names_; }

 private:
  template <typename Key, typename Name>
  static uint32_t Of(const Key& key, std::map<Key, uint32_t>* numbers,
                     std::vector<Name>* names, const Name& name) {
    const auto [found, added] =
        numbers->try_emplace(key, static_cast<uint32_t>(names->size()));
    if (added) names->push_back(name);
    return found->second;
  }

  SideNames names_;
  std::map<std::string, uint32_t> route_numbers_;
  std::map<std::pair<LatencyPart, std::string>, uint32_t> detail_numbers_;
};

// The requests of one recording, file by file. Reads one.
class SideReader : public RowWatcher {
 public:
  // One file: the requests of one thread.
  struct File {
    uint32_t process;
    uint32_t thread;
    std::string node;  // its version
    Recorded recorded;
    double busy_ns;
    double span_ns;
    Run run;  // its requests in order of their ends
  };

  // `names` outlives it.
  explicit SideReader(NameTable* names) : table_(names), clock_(&causes_) {}

  std::vector<File> TakeFiles() { return std::move(files_); }

  // RequestWatcher
  void Begin(const RowNames& names, const LoopTimeline* timeline) override;
  void BeginFile(const std::string& name, const EventStream* stream,
                 const RequestRoutes* request_routes) override;
  void AddRequest(const EndedRequest& request, const Components& components,
                  const Standing& standing) override;
  void EndFile(const GraphCounts& counts) override;
  absl::Status Close() override;

  // LoopWatcher
  void OnEvent(const Event& event, uint64_t first_piece) override;

 private:
  // A connection of the file.
  struct Client {
    uint32_t number = 0;
    uint32_t received = 0;  // bytes before its latest request
    int64_t latest = -1;    // that request, in the run; -1: none that counts
  };

  void AddDetails(const EndedRequest& request);
  void NoteClient(const RequestGraph& graph, ComparedRequest* request);
  uint32_t RouteName(uint32_t route);
  uint32_t DependencyName(uint32_t dependency);
  uint32_t CauseName(uint32_t cause);

  NameTable* const table_;
  // Names by the numbers of this analysis.
  std::vector<uint32_t> route_names_;
  std::vector<uint32_t> dependency_names_;
  std::vector<uint32_t> cause_names_;
  CauseTable causes_;
  CauseClock clock_;
  std::vector<File> files_;
  // Of the file being read:
  Run run_;
  double busy_ns_ = 0;
  uint32_t clients_ = 0;
  absl::flat_hash_map<int32_t, Client> client_of_fd_;
};

}  // namespace edgewise
