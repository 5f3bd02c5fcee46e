#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "across/rows.h"
#include "across/service_names.h"
#include "across/sorted_rows.h"
#include "analysis/rows/request_watcher.h"

namespace edgewise {

// What all recordings have of connections between them.
struct Exchanges {
  explicit Exchanges(std::span<const std::string> scratch)
      : served(scratch), named(scratch), called(scratch) {}

  ServiceNames names;
  SortedRows<ServedRow> served;
  // Those that have told their caller's name of the call: by
  // TraceContext::Key() in the place of their link.
  SortedRows<ServedRow> named;
  SortedRows<CalledRow> called;
  // Connections on which something was asked, whether or not it was waited for.
  absl::flat_hash_set<uint64_t> opened;
  // Of each file: which, and whose.
  struct File {
    uint16_t service;
    std::string name;
    uint32_t process;
    uint32_t thread;
    int64_t unix_offset_ns;  // StreamCounts'
  };
  std::vector<File> files;
  std::map<std::string, uint16_t> clocks;  // by machine, since it has started
};

// Writes down which requests of one recording came on connections that another
// one may have opened, and what its critical paths waited for on such.
class ExchangeLog : public RowWatcher {
 public:
  explicit ExchangeLog(Exchanges* exchanges) : exchanges_(exchanges) {}

  // RequestWatcher
  void BeginFile(const std::string& name, const EventStream* stream,
                 const RequestRoutes* request_routes) override;
  void AddRequest(const EndedRequest& request, const Components& components,
                  const Standing& standing) override;

 private:
  void BeginRows();
  uint32_t RouteOf(uint32_t route);
  void NoteOpened(const RequestGraph& graph);
  void AddCall(const EndedRequest& request, uint32_t place, bool tail);
  void NoteBlocker(const EndedRequest& request, ServedRow* row);

  Exchanges* exchanges_;
  bool begun_ = false;  // of the file's rows
  uint32_t file_ = 0;
  uint16_t service_ = 0;
  uint16_t clock_ = 0;
  std::vector<uint32_t> routes_;  // by the recording's number; 0: not known yet
  absl::flat_hash_map<uint32_t, int64_t> behind_;  // NoteBlocker's
};

}  // namespace edgewise
