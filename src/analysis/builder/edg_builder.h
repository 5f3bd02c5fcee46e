#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/builder/connection_table.h"
#include "analysis/builder/registration_index.h"
#include "analysis/builder/request_table.h"
#include "analysis/builder/trail.h"
#include "analysis/builder/vm_shares.h"
#include "analysis/graph/blame.h"
#include "analysis/graph/critical_path.h"
#include "analysis/graph/dependency.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/graph/request_graph.h"
#include "analysis/stacks/stack_tree.h"
#include "analysis/stream/event_stream.h"
#include "analysis/stream/request_routes.h"
#include "analysis/stream/route_table.h"
#include "trace/names.h"

namespace edgewise {

// When a request ended whose first node began at `begun_ns`. A write before
// that was another's, on its connection or on one of the same number.
inline int64_t EndOf(const InnerRecord& end, int64_t begun_ns) {
  return end.end_ns >= begun_ns ? end.end_ns : end.time_ns;
}

// A request that has ended, with its graph. Valid during OnRequest() only.
struct EndedRequest {
  uint32_t id;
  uint64_t ordinal;
  uint32_t route;
  uint32_t status;
  Outcome outcome;
  int64_t end_ns;
  const RequestGraph& graph;
  const CriticalPath& path;

  int64_t latency_ns() const { return end_ns - graph.ready_ns; }
};

// A request whose connection was closed first: no path was looked for.
struct AbortedRequest {
  uint32_t id;
  uint32_t route;
  RequestKind kind;
  int64_t ready_ns;
};

// Counts of one file, or the sum over files: of all requests there.
struct GraphCounts {
  // Requests whose start or end is missing; of one that was open where records
  // are missing, and never ended, it is taken to be among them.
  uint64_t lost = 0;
  uint64_t unfinished = 0;  // still open at the end of the file
  std::array<uint64_t, kGcTypes> gc_count{};
  std::array<double, kGcTypes> gc_ns{};
  double gc_off_ns = 0;  // of those, the thread did not run
  // By V8's reason; at 0 those whose reason is not known.
  std::array<uint64_t, kGcReasons> gc_reason_count{};
  std::array<double, kGcReasons> gc_reason_ns{};
};

class RequestSink {
 public:
  virtual ~RequestSink() = default;
  // Called for each request that finished or failed, in order of their ends.
  virtual void OnRequest(const EndedRequest& request) = 0;
  virtual void OnAborted(const AbortedRequest& request) = 0;
};

// Is told of each event when its slices are on the timeline; they are the
// pieces from `first_piece` on, with what ran since the event before. Owners of
// requests that ended in it are still known.
class LoopWatcher {
 public:
  virtual ~LoopWatcher() = default;
  virtual void OnEvent(const Event& event, uint64_t first_piece) = 0;
  // A request begins, the `ordinal`th of its file; until it ends `owner` is
  // its.
  virtual void OnOwner(uint32_t owner, uint32_t request, uint64_t ordinal) {}
  // A collection; `ran_ns` of it the thread ran. Before the event that it was
  // in, or came before.
  virtual void OnGc(const InnerRecord& gc, int64_t ran_ns) {}
  // Part of the `sample`th sample of the event that is told of next, taken at a
  // moment: `stack` stands for so much of what ran.
  virtual void OnSample(size_t sample, int64_t at_ns, double weight_ns,
                        uint32_t stack) {}
};

// Builds the Event Dependency Graphs of one file's requests (VEE'19, section
// 4.2), one event at a time: finds out for whom each slice runs, adds a node to
// that request's graph and a piece to the timeline, and hands each request over
// when it ends. Holds the graphs of open requests only.
class EdgBuilder {
 public:
  // All outlive the builder; `watcher` may be null.
  EdgBuilder(EventStream* stream, const RequestRoutes* request_routes,
             RouteTable* routes, DependencyTable* dependencies,
             LoopTimeline* timeline, BlameLedger* ledger, StackTree* stacks,
             RequestSink* sink, LoopWatcher* watcher = nullptr)
      : stream_(stream),
        stacks_(stream, stacks),
        request_routes_(request_routes),
        routes_(routes),
        dependencies_(dependencies),
        timeline_(timeline),
        ledger_(ledger),
        sink_(sink),
        watcher_(watcher) {}

  // Reads the stream to its end.
  void Run();

  const GraphCounts& counts() const { return counts_; }
  // So long the loop ran events, or collected garbage.
  double busy_ns() const { return busy_ns_; }
  // Of it, the thread did not run.
  double off_ns() const { return off_ns_; }
  // Of the first request; once there was one.
  int64_t first_ready_ns() const { return *first_ready_ns_; }

 private:
  // The trace gives times in ticks from one moment, durations as floats: so
  // much apart they are the same.
  static constexpr int64_t kSameNs = 1000;

  // Collections of one stretch, by type; `any` saves looking.
  struct GcTimes {
    bool any = false;
    std::array<int64_t, kGcTypes> ns{};
  };

  // Whose function the slice of another request has called, and since when;
  // generation 0: nobody's.
  struct Guest {
    RequestRef request;
    uint32_t node;
    int64_t begin_ns;
    uint64_t begin_piece;
  };

  // The slice that runs at the current point of the event.
  struct Slice {
    int64_t begin_ns;
    int64_t cursor_ns;  // pieces up to here are on the timeline
    uint64_t counter;   // async-id counter at its begin
    uint64_t known;     // and when something of it was seen last
    uint64_t sequence;
    Trail::Cause cause;
    uint64_t begin_piece;
    RequestRef request;  // generation 0: nobody's
    uint32_t node;
    uint32_t owner;
    bool unsure;      // what came after `known` may be a tick's of another
    bool prefix;      // the turn's first
    bool by_edge;     // begun where a function of its request was called
    bool serves_all;  // what it makes is no request's own
    Guest guest;
  };

  // What has become ready by itself: the event, or one of the timers or
  // immediates that it runs.
  struct Turn {
    int64_t begin_ns;
    int64_t ready_ns;
    uint64_t piece;  // the first on the timeline
    ReadyKind ready_kind;
    EventType type;
  };

  // The first request that a turn has resumed, or read; generation 0: none yet.
  struct TurnsRequest {
    RequestRef request;
    uint64_t ordinal = 0;
    bool went_on = false;  // after the turn's first slice
  };

  // A step of an open request; generation 0: nobody's.
  struct Registrant {
    RequestRef request;
    uint32_t node = 0;
    bool inferred = false;
  };

  void OnEvent(const Event& event);
  void TakeSamples();
  void OnBetween(std::span<const InnerRecord> records);
  void OnBreak();
  // edg_slices.cc
  void OpenPrefix();
  void OpenTurn(const Turn& turn);
  void FindOwnAnswer(RequestRef request, Node* node);
  void FindHolder(RequestRef request, Node* node);
  void NoteTurnsRequest(RequestRef request);
  const InnerRecord* ClaimOfPrefix() const;
  void OpenSlice(int64_t begin_ns, uint64_t counter, uint64_t sequence);
  void CloseSlice(int64_t end_ns, uint64_t counter);
  void Register(uint64_t counter);
  // A patched Node has recorded it.
  bool IsNative() const { return stream_->meta().causality == "native"; }
  bool OthersRegistered() const;
  void DoubtBeforeTick(const InnerRecord& slice);
  void DoubtTick(const InnerRecord& record);
  void OnSlice(const InnerRecord& record);
  bool BeginsTurn(const InnerRecord& slice, bool leads);
  const RegistrationIndex::Entry* OwnerOf(const InnerRecord& slice) const;
  bool GoesOn(const InnerRecord& slice);
  void OnEdge(const InnerRecord& record);
  // edg_connections.cc
  void OnConnection(const InnerRecord& record);
  // Who connects or writes there.
  Registrant WhoAsks(const InnerRecord& record) const;
  void OnUse(const InnerRecord& record);
  using Connection = ConnectionTable::Connection;
  void OnQuestion(const InnerRecord& record, Connection* connection);
  void ForgetHandshake(Connection* connection);
  void OnAskedContext(const InnerRecord& record, Connection* connection);
  uint32_t NoteCall(uint32_t text, Connection* connection);
  std::string_view PeerOf(const Connection& connection) const;
  uint32_t DependencyOf(RequestRef request);
  uint32_t DependencyOfEvent();
  uint32_t DependencyOfWork();
  void OnProcess(const InnerRecord& record);
  void NoteQuestionOf(RequestRef request, Node* node) const;
  void NoteAddresses();
  bool IsPools() const;
  Registrant WhoRegisteredEvent();
  Registrant WhoseAnswer();
  Registrant WhoseBody(const Connection& connection) const;
  Registrant LatestStep(RequestRef request) const;
  bool ResumesAnAsker() const;
  bool Resumes(RequestRef request) const;
  bool MayHaveCalledAnother();
  // Whether a slice of the event goes on in a request that is such.
  template <typename Is>
  bool AnyResumed(Is is) const {
    return std::any_of(event_->inner.begin(), event_->inner.end(),
                       [&](const InnerRecord& record) {
                         if (record.kind != RecordKind::kSlice) return false;
                         const auto* const owner = OwnerOf(record);
                         return owner != nullptr && is(owner->request);
                       });
  }
  const ConnectionTable::Asker* AnsweredHere(RequestRef request) const;
  Registrant StepOf(const RegistrationIndex::Entry* entry) const;
  // The latest step of `request` that has asked on the event's connection, or
  // `node` where that is later.
  Registrant LatestAsking(RequestRef request, uint32_t node);
  Registrant StepOf(const ConnectionTable::Asker& asker);
  void NoteScope(const Event& event);
  // Whether a callback of `request`'s has run before in the event's scope.
  bool IsResolvedBefore(RequestRef request);
  bool IsHub(uint64_t source);
  bool MayChangeHands() const;
  void OnGc(const InnerRecord& record);
  // Cuts a stretch of time where the thread did not run: ran(from, to) and
  // off(span), in order. Returns where the last stretch begins for which it
  // ran; it is left to the caller.
  template <typename Ran, typename Off>
  int64_t ForOff(int64_t from_ns, int64_t to_ns, Ran&& ran, Off&& off) {
    const std::span<const OffSpan> spans = event_->off;
    for (; next_off_ < spans.size(); ++next_off_) {
      const OffSpan& span = spans[next_off_];
      if (span.begin_ns >= to_ns) break;
      const int64_t begin_ns = std::max(span.begin_ns, from_ns);
      const int64_t end_ns = std::min(span.end_ns, to_ns);
      if (begin_ns < end_ns) {
        ran(from_ns, begin_ns);
        off(OffSpan{begin_ns, end_ns, span.kind});
        from_ns = end_ns;
      }
      if (span.end_ns > to_ns) break;  // The rest is for what follows.
    }
    return from_ns;
  }
  void NoteIdle(int64_t from_ns, int64_t to_ns);
  void OnStart(const InnerRecord& record);
  void OnEnd(const InnerRecord& record);
  void CountGc(const InnerRecord& record, std::span<const OffSpan> off);

  RequestRef StartRequest(const InnerRecord& record);
  // Puts what the slice did, up to a time, on the timeline.
  void PushPiece(int64_t end_ns);
  // Of the open slice, so far; of no graph.
  Node NodeOfSlice();
  // Makes the open slice a node of `request`. `kept`: what runs was put aside
  // by `parent`, to be called.
  void Attach(const Registrant& registrant, bool kept = false) {
    Attach(registrant.request, registrant.node,
           registrant.inferred ? Node::kInferred : 0, kept);
  }
  void Attach(RequestRef request, uint32_t parent, uint8_t flags,
              bool kept = false);
  // Notes the collections of a stretch that begins at `begin_ns`.
  void NoteGc(const GcTimes& gc, int64_t begin_ns, uint32_t node, bool shared,
              RequestGraph* graph) const;
  uint32_t SinkNode(RequestRef request, const InnerRecord& end);
  uint32_t EarlierSink(RequestRef request, const InnerRecord& end);
  void AddSink(const WrittenIn& written, int64_t end_ns, uint32_t parent,
               RequestGraph* graph);
  uint32_t GuestNode();
  // edg_trail.cc
  Registrant FollowTrail(RequestRef request, const Trail::Cause& cause);
  const ConnectionTable::Asker* AskedBefore(const Trail::Step& step,
                                            RequestRef request);
  uint32_t Adopt(const Trail::Step& step, uint32_t parent, uint8_t flags,
                 RequestGraph* graph);
  void LeaveOnTrail(int64_t end_ns, uint64_t counter);
  void CloseRequest(RequestRef request, uint32_t route);
  void CloseOldest();
  void CloseAll();
  uint32_t RouteOf(uint32_t string_id);
  // Who registered it, of the open requests; null if nobody.
  const RegistrationIndex::Entry* FindById(uint64_t async_id) const;
  // With edges: null too if it cannot be told.
  const RegistrationIndex::Entry* FindBySequence(uint64_t sequence) const;
  bool IsAlive(const RegistrationIndex::Entry& entry) const;
  RequestGraph& GraphOf(RequestRef ref) { return requests_.At(ref).state; }

  EventStream* stream_;
  FileStacks stacks_;
  const RequestRoutes* request_routes_;
  RouteTable* routes_;
  DependencyTable* dependencies_;
  LoopTimeline* timeline_;
  BlameLedger* ledger_;
  RequestSink* sink_;
  LoopWatcher* watcher_;

  RequestTable<RequestGraph> requests_;
  NodeBudget nodes_;
  RegistrationIndex registrations_;
  Trail trail_;
  bool in_slice_ = false;
  std::vector<const Trail::Step*> steps_;  // FollowTrail's
  ConnectionTable connections_;
  Connection* connection_ = nullptr;  // the event's
  // What the event before has read had news for several (HTTP/2's streams): the
  // resource tells whose this one's are, and not who has opened the connection.
  bool continues_read_ = false;
  // Whether the event before may not be the last of its scope of native code,
  // and the first event of the one that runs.
  bool in_scope_ = false;
  uint64_t scope_begin_ = 0;
  int32_t last_fd_ = kNoFd;
  int64_t last_end_ns_ = 0;
  // Child processes, by their handles' ids, as dependencies.
  static constexpr size_t kMaxProcesses = 1 << 16;
  absl::flat_hash_map<uint64_t, uint32_t> processes_;
  std::optional<uint32_t> event_dependency_;  // once it was asked for
  absl::flat_hash_map<uint32_t, uint32_t> route_of_string_;
  CriticalPath path_{};
  GraphCounts counts_;
  double busy_ns_ = 0;
  double off_ns_ = 0;
  size_t next_off_ = 0;       // in the event's
  int64_t idle_from_ns_ = 0;  // since then nothing has occupied the loop
  std::optional<int64_t> first_ready_ns_;
  uint64_t break_starts_ = 0;  // requests begun before records were missing

  // Slices whose functions others' first slices have called: in how many
  // requests, and in which the last time.
  struct Hub {
    uint32_t requests = 0;
    RequestRef last;
  };
  static constexpr uint32_t kHubRequests = 4;
  static constexpr size_t kMaxHubs = 1 << 16;
  absl::flat_hash_map<uint64_t, Hub> hubs_;
  bool has_edges_ = false;
  VmShares vm_shares_;

  const Event* event_ = nullptr;
  const InnerRecord* claim_ = nullptr;  // the start that owns the prefix
  Turn turn_{};
  TurnsRequest turns_request_;
  int64_t shared_end_ns_ = 0;
  uint64_t shared_end_piece_ = 0;
  GcTimes shared_gc_;  // collections in the turn's first slice
  GcTimes slice_gc_;   // ... and in the open one
  GcTimes host_gc_;    // ... and of it, before its guest came
  Slice slice_{};
  bool several_wait_ = false;        // for what the event has read
  RequestRef first_asker_;           // of these
  std::optional<bool> goes_unseen_;  // one of these, which is not resumed
  RequestRef registrant_;  // who has registered something in the turn last
  bool several_register_ = false;  // ... and others before
  bool closed_some_ = false;       // a request ended in this event
};

}  // namespace edgewise
