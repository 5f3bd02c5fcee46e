#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/requests/output_file.h"
#include "handover/handover.h"
#include "handover/perfetto_packets.h"

namespace edgewise {

// Writes a trace for Perfetto: of each thread the events of its loop, with the
// requests, collections and pauses in them; and the requests, with what they
// waited for. Flows lead from the events that a request of the tail waited
// behind to what it ran afterwards. And what the kernel did meanwhile, where
// that lies beside the trace.
class PerfettoTrace : public Handover {
 public:
  // `directory`: of the trace; "": there is none. Unavailable: the file cannot
  // be made.
  static absl::StatusOr<std::unique_ptr<PerfettoTrace>> Create(
      const std::string& path, const std::string& directory);

  // RequestWatcher
  void BeginFile(const std::string& name, const EventStream* stream,
                 const RequestRoutes* request_routes) override;
  void AddRequest(const EndedRequest& request, const Components& components,
                  const Standing& standing) override;
  absl::Status Close() override { return packets_.Close(); }

  // LoopWatcher
  void OnEvent(const Event& event, uint64_t first_piece) override;

 private:
  static constexpr size_t kMostFlows = 128;  // to one wait

  // A row of requests that follow each other.
  struct Lane {
    uint64_t track;
    int64_t free_ns;
  };
  struct Told {
    uint64_t first_piece;
    uint64_t flow;
  };

  PerfettoTrace(std::unique_ptr<OutputFile> file, std::string directory)
      : packets_(std::move(file)), directory_(std::move(directory)) {}
  void BeginTracks();
  uint64_t LaneFor(const EndedRequest& request);
  void AddPieces(uint64_t from, uint64_t to);
  void AddPath(uint64_t lane, const EndedRequest& request, bool tail);
  const std::vector<uint64_t>& FlowsBehind(const QueueSpan& span);

  PerfettoPackets packets_;
  const std::string directory_;
  uint64_t tracks_ = 0;  // so many there are
  uint64_t flows_ = 0;
  std::map<std::pair<std::string, uint32_t>, uint64_t> processes_;
  // Of which the kernel's part is written.
  std::set<std::pair<uint32_t, uint32_t>> told_of_kernel_;
  // Of the file being read:
  bool begun_ = false;
  uint64_t process_ = 0;  // tracks
  uint64_t thread_ = 0;
  std::vector<Lane> lanes_;
  std::deque<Told> told_;  // events whose pieces are still known
  std::vector<uint64_t> behind_;
};

}  // namespace edgewise
