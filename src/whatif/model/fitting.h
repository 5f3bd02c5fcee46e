#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/builder/edg_builder.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/stream/route_filter.h"
#include "whatif/model/collection_fitting.h"
#include "whatif/model/line_fitting.h"
#include "whatif/model/model.h"

namespace edgewise {

// Makes the model of a file's loop from its requests' graphs, in one pass.
class Fitting : public RequestSink, public LoopWatcher {
 public:
  // Jobs that a model may hold; what comes later is left out.
  static constexpr size_t kMaxJobs = size_t{1} << 22;

  struct Options {
    RouteFilter routes;
    int64_t skip_ns = 0;  // what comes so soon after the first request
  };

  // All outlive it.
  Fitting(const Options& options, const RouteTable* routes,
          const DependencyTable* dependencies, const LoopTimeline* timeline)
      : options_(options),
        routes_(routes),
        dependencies_(dependencies),
        timeline_(timeline) {}

  void OnRequest(const EndedRequest& request) override;
  void OnAborted(const AbortedRequest& /*request*/) override {}
  void OnEvent(const Event& event, uint64_t first_piece) override;

  // The file is read.
  LoopModel Finish();

 private:
  // What is remembered of an event while requests that ran in it are open.
  struct Turn {
    uint64_t event;
    float idle_ns;
    int32_t fd;
  };
  static constexpr size_t kMaxTurns = size_t{1} << 20;
  static constexpr size_t kMaxSamples = size_t{1} << 16;
  static constexpr int64_t kSameNs = 1000;

  // Work of the pool: when it was asked for, taken up, and done.
  struct PoolWork {
    uint32_t job;  // in the model
    int64_t asked_ns;
    int64_t taken_ns;
    int64_t done_ns;
  };

  // A request that has ended in the event that is being read.
  struct Ended {
    ModelRequest request;
    uint32_t owner;
    int32_t fd;
    std::vector<Job> jobs;
    // Jobs by their numbers in the request:
    std::vector<PoolWork> pool;
    std::vector<LineFitting::Answer> answers;
    std::vector<uint64_t> events;  // of each job
    std::vector<bool> later;  // of each job: others' ran before in its turn
  };

  // The request that came last on a connection.
  struct LastOn {
    size_t request;     // in the model; kLeftOut: not there
    uint32_t received;  // before it
  };
  static constexpr size_t kLeftOut = SIZE_MAX;
  void NoteSize(const RequestGraph& graph);
  bool IsLeftOut(const EndedRequest& request);
  void AddNode(const EndedRequest& request, uint32_t index, Ended* ended);
  void AddWait(const RequestGraph& graph, const Node& node, uint32_t number,
               Job* job, Ended* ended) const;
  int64_t RunOf(const RequestGraph& graph, uint32_t index) const;
  void Keep(Ended* ended, const Event& event, uint64_t first_piece);
  void AddGap(float ns);
  void AddPieces(const Event& event, uint64_t first_piece);
  const Turn* TurnOf(uint64_t event) const;
  void NoteJoins(Ended* ended) const;
  void FitSpan();
  void FitPool();
  void DrawCensored();

  const Options options_;
  const RouteTable* routes_;
  const DependencyTable* dependencies_;
  const LoopTimeline* timeline_;
  LoopModel model_;
  std::deque<Turn> turns_;
  std::vector<Ended> ended_;
  std::vector<uint32_t> job_of_node_;
  std::vector<float> run_at_node_;  // of its job, up to the node's end
  absl::flat_hash_set<int32_t> shared_fds_;
  int64_t from_ns_ = INT64_MAX;      // what came before is left out
  int64_t last_end_ns_ = INT64_MIN;  // of the event before
  double since_displaced_ns_ = 0;
  double prefixes_ns_ = 0;
  uint64_t prefixes_ = 0;
  std::vector<float> accepts_ns_;
  std::vector<PoolWork> pool_;
  absl::flat_hash_map<int32_t, LastOn> last_on_;  // by descriptor
  CollectionFitting collections_;
  LineFitting lines_;
};

}  // namespace edgewise
