#include "whatif/model/fitting.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "whatif/model/cold_fitting.h"

namespace edgewise {
namespace {

float Length(int64_t from_ns, int64_t to_ns) {
  return static_cast<float>(std::max<int64_t>(0, to_ns - from_ns));
}

void AddPause(float ns, double* since_ns, std::vector<LoopPause>* pauses) {
  pauses->push_back({static_cast<float>(*since_ns), ns});
  *since_ns = 0;
}

}  // namespace

bool Fitting::IsLeftOut(const EndedRequest& request) {
  const RequestGraph& graph = request.graph;
  if (from_ns_ == INT64_MAX) {
    // The first that ends need not be the first that came.
    from_ns_ = options_.skip_ns > 0 ? graph.ready_ns + options_.skip_ns : 0;
  }
  if (graph.ready_ns < from_ns_) return true;
  if (!options_.routes.Has(routes_->Text(request.route))) return true;
  const bool whole = !graph.truncated && !graph.nodes.empty() &&
                     model_.jobs.size() + graph.nodes.size() <= kMaxJobs;
  if (!whole) ++model_.left_out;
  return !whole;
}

void Fitting::OnRequest(const EndedRequest& request) {
  const RequestGraph& graph = request.graph;
  NoteSize(graph);
  if (IsLeftOut(request)) return;
  Ended ended{{graph.ready_ns, request.latency_ns(), request.route, 0, 0,
               graph.connection == ConnectionUse::kNew},
              graph.owner,
              graph.fd,
              {},
              {},
              {},
              {},
              {}};
  job_of_node_.clear();
  run_at_node_.clear();
  for (uint32_t i = 0; i < graph.Size(); ++i) AddNode(request, i, &ended);
  ended_.push_back(std::move(ended));
}

// How long the request before it on its connection was is known only now.
void Fitting::NoteSize(const RequestGraph& graph) {
  if (graph.fd == kNoFd) return;
  const auto [it, first] =
      last_on_.try_emplace(graph.fd, LastOn{kLeftOut, graph.received});
  if (first) return;
  LastOn& last = it->second;
  const uint32_t bytes = graph.received - last.received;
  const bool known = graph.received != kUnknownOffset &&
                     last.received != kUnknownOffset &&
                     graph.connection != ConnectionUse::kNew;
  if (known && bytes > 0 && last.request != kLeftOut) {
    model_.requests[last.request].in_bytes = static_cast<float>(bytes);
  }
  last = {kLeftOut, graph.received};
}

// For how long the node ran, without collections.
int64_t Fitting::RunOf(const RequestGraph& graph, uint32_t index) const {
  const Node& node = graph.At(index);
  int64_t run_ns = node.end_ns - node.begin_ns;
  for (const GcNote& gc : graph.gc) {
    if (gc.node == index && !gc.shared) run_ns -= gc.end_ns - gc.begin_ns;
  }
  const OffTimeline& off = timeline_->busy_off();
  if (!off.empty()) {
    run_ns -= off.Between(node.begin_ns, node.end_ns).total_ns();
  }
  return std::max<int64_t>(0, run_ns);
}

void Fitting::AddNode(const EndedRequest& request, uint32_t index,
                      Ended* ended) {
  const RequestGraph& graph = request.graph;
  const Node& node = graph.At(index);
  uint32_t number = static_cast<uint32_t>(ended->jobs.size());
  if (index > 0 && node.IsInTurnOf(graph.At(index - 1))) {
    number = job_of_node_[index - 1];
  } else {
    Job job;
    const bool leads = std::abs(node.begin_ns - node.shared_end_ns) <= kSameNs;
    const bool first = node.begin_ns - node.event_begin_ns <= kSameNs;
    ended->later.push_back(!leads && !first);
    job.prefix_ns = first   ? 0
                    : leads ? Length(node.event_begin_ns, node.shared_end_ns)
                            : -1;
    for (const GcNote& gc : graph.gc) {
      if (gc.node == index && gc.shared && job.prefix_ns > 0) {
        job.prefix_ns =
            std::max(0.F, job.prefix_ns - Length(gc.begin_ns, gc.end_ns));
      }
    }
    if (index > 0) AddWait(graph, node, number, &job, ended);
    ended->jobs.push_back(job);
    ended->events.push_back(node.event);
  }
  job_of_node_.push_back(number);
  Job& job = ended->jobs[number];
  const bool is_sink = (node.flags & Node::kSink) != 0;
  if (is_sink) {
    job.end_ns = job.own_ns + Length(node.begin_ns, request.end_ns);
  }
  job.own_ns += static_cast<float>(RunOf(graph, index));
  run_at_node_.push_back(job.own_ns);
}

void Fitting::AddWait(const RequestGraph& graph, const Node& node,
                      uint32_t number, Job* job, Ended* ended) const {
  const Node& parent = graph.At(node.parent);
  job->parent = job_of_node_[node.parent];
  job->issue_ns = run_at_node_[node.parent];
  job->dependency = node.dependency;
  job->call = node.call;
  const int64_t asked_ns = std::max(parent.end_ns, parent.begin_ns);
  const bool known = node.ready_kind != ReadyKind::kNone;
  const int64_t ready_ns =
      std::max(known ? node.ready_ns : node.event_begin_ns, asked_ns);
  if ((node.flags & Node::kPooled) != 0 && node.taken_ns > 0) {
    const int64_t taken_ns = std::max(node.taken_ns, asked_ns);
    job->pool_ns = Length(taken_ns, ready_ns);
    ended->pool.push_back({number, asked_ns, taken_ns, ready_ns});
    return;
  }
  job->io_ns = Length(asked_ns, ready_ns);
  job->io_most_ns = std::max(job->io_ns, Length(asked_ns, node.begin_ns));
  if (node.session != 0 && known) {
    ended->answers.push_back(
        {number, node.session, asked_ns, ready_ns, node.event});
  }
}

void Fitting::OnEvent(const Event& event, uint64_t first_piece) {
  const bool fitted = event.begin_ns >= from_ns_;
  float idle_ns = -1;
  if (last_end_ns_ != INT64_MIN) {
    if (event.loop_slept) {
      idle_ns = Length(last_end_ns_, event.begin_ns);
      const bool pool = event.ready_kind == ReadyKind::kCompleted;
      const bool seen = pool || event.ready_kind == ReadyKind::kObserved ||
                        event.ready_kind == ReadyKind::kDue;
      auto& wakes_ns = pool ? model_.pool_wakes_ns : model_.wakes_ns;
      if (fitted && seen && event.ready_ns > last_end_ns_ &&
          wakes_ns.size() < kMaxSamples) {
        wakes_ns.push_back(Length(event.ready_ns, event.begin_ns));
      }
    } else if (fitted && event.before.empty()) {
      AddGap(Length(last_end_ns_, event.begin_ns));
    }
  }
  last_end_ns_ = event.end_ns;
  turns_.push_back({event.sequence, idle_ns, event.fd});
  if (turns_.size() > kMaxTurns) turns_.pop_front();
  for (Ended& ended : ended_) Keep(&ended, event, first_piece);
  if (fitted) {
    AddPieces(event, first_piece);
    collections_.Note(event.heaps);
    model_.end_ns = event.end_ns;
  }
  ended_.clear();
}

// No look at the kernel takes so long: the thread was displaced; or so short:
// what came with the event before was handled next.
void Fitting::AddGap(float ns) {
  constexpr float kShortestLookNs = 1000;
  constexpr float kLongestLookNs = 200'000;
  if (ns > kLongestLookNs) {
    AddPause(ns, &since_displaced_ns_, &model_.displaced);
  } else if (ns >= kShortestLookNs && model_.gaps_ns.size() < kMaxSamples) {
    model_.gaps_ns.push_back(ns);
  }
}

// The request's last slice in the event, which was not over when it ended: all
// that is its own or follows it.
void Fitting::Keep(Ended* ended, const Event& event, uint64_t first_piece) {
  double run_ns = 0;
  double end_ns = 0;
  const int64_t ended_ns = ended->request.ready_ns + ended->request.latency_ns;
  bool own = false;
  for (uint64_t i = first_piece; i < timeline_->next(); ++i) {
    const Piece& piece = timeline_->At(i);
    if (piece.begin_ns < event.begin_ns) continue;
    own = piece.owner == ended->owner || (own && piece.owner == 0);
    if (!own || piece.is_gc || piece.off) continue;
    run_ns += Length(piece.begin_ns, piece.end_ns);
    end_ns += Length(piece.begin_ns, std::min(piece.end_ns, ended_ns));
  }
  if (!ended->events.empty() && ended->events.back() == event.sequence) {
    Job& job = ended->jobs.back();
    job.own_ns = static_cast<float>(run_ns);
    if (job.end_ns >= 0) job.end_ns = static_cast<float>(end_ns);
  }
  for (size_t i = 0; i < ended->jobs.size(); ++i) {
    Job& job = ended->jobs[i];
    job.end_ns = std::min(job.end_ns, job.own_ns);
    const Turn* const turn = TurnOf(ended->events[i]);
    if (turn == nullptr) continue;
    job.idle_ns = turn->idle_ns;
    job.station = static_cast<uint32_t>(turn->fd + 1);
    if (ended->later[i] && turn->fd != kNoFd) shared_fds_.insert(turn->fd);
  }
  NoteJoins(ended);
  for (PoolWork work : ended->pool) {
    work.job += static_cast<uint32_t>(model_.jobs.size());
    pool_.push_back(work);
  }
  for (LineFitting::Answer answer : ended->answers) {
    answer.job += static_cast<uint32_t>(model_.jobs.size());
    lines_.Add(answer);
  }
  ended->request.first_job = static_cast<uint32_t>(model_.jobs.size());
  ended->request.jobs = static_cast<uint32_t>(ended->jobs.size());
  model_.jobs.insert(model_.jobs.end(), ended->jobs.begin(), ended->jobs.end());
  if (const auto last = last_on_.find(ended->fd); last != last_on_.end()) {
    last->second.request = model_.requests.size();
  }
  model_.requests.push_back(ended->request);
}

const Fitting::Turn* Fitting::TurnOf(uint64_t event) const {
  const auto it = std::lower_bound(
      turns_.begin(), turns_.end(), event,
      [](const Turn& turn, uint64_t number) { return turn.event < number; });
  return it != turns_.end() && it->event == event ? &*it : nullptr;
}

// Of several waits that began together, those that nothing has followed have
// ended before what came after the last: Promise.all, or as good as.
void Fitting::NoteJoins(Ended* ended) const {
  std::vector<Job>& jobs = ended->jobs;
  std::vector<bool> followed(jobs.size());
  for (const Job& job : jobs) {
    if (job.parent != Job::kNone) followed[job.parent] = true;
  }
  absl::flat_hash_map<uint32_t, uint32_t> open;  // by parent: the latest leaf
  for (uint32_t i = 1; i < jobs.size(); ++i) {
    Job& job = jobs[i];
    const auto leaf = open.find(job.parent);
    if (leaf != open.end()) {
      job.join = leaf->second;
      open.erase(leaf);
    }
    if (!followed[i] && job.end_ns < 0) open[job.parent] = i;
  }
}

void Fitting::AddPieces(const Event& event, uint64_t first_piece) {
  double others_ns = 0;
  double leading_ns = 0;
  bool owned = false;
  for (uint64_t i = first_piece; i < timeline_->next(); ++i) {
    const Piece& piece = timeline_->At(i);
    const float ns = Length(piece.begin_ns, piece.end_ns);
    if (piece.off) {
      AddPause(ns, &since_displaced_ns_, &model_.displaced);
    } else if (piece.is_gc) {
      collections_.Add(piece);
    } else {
      collections_.Ran(ns);
      since_displaced_ns_ += ns;
      if (piece.owner != 0 && !owned) leading_ns = others_ns;
      owned |= piece.owner != 0;
      others_ns += piece.owner == 0 ? ns : 0;
    }
  }
  if (owned && leading_ns > 0) {
    prefixes_ns_ += leading_ns;
    ++prefixes_;
  }
  const auto ns = static_cast<float>(others_ns);
  if (event.type == EventType::kAccept && !owned) {
    if (accepts_ns_.size() < kMaxSamples) accepts_ns_.push_back(ns);
  } else if (!owned && event.type != EventType::kMain && ns > 0) {
    const bool known = event.ready_kind != ReadyKind::kNone;
    model_.others.push_back(
        {known ? event.ready_ns : event.begin_ns, ns, event.type, false});
  }
}

// Where a thread of the pool was idle, that it took so long to begin is part of
// the work; else it is what a simulation finds out.
void Fitting::FitPool() {
  std::sort(pool_.begin(), pool_.end(),
            [](const PoolWork& one, const PoolWork& other) {
              return one.asked_ns < other.asked_ns;
            });
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> busy;
  for (const PoolWork& work : pool_) {
    const uint32_t threads =
        dependencies_->At(model_.jobs[work.job].dependency).pool_threads;
    if (threads > 0) model_.pool_threads = threads;
    while (!busy.empty() && busy.top() <= work.asked_ns) busy.pop();
    if (busy.size() < model_.pool_threads) {
      model_.jobs[work.job].pool_ns += Length(work.asked_ns, work.taken_ns);
    }
    busy.push(work.done_ns);
  }
}

// What is read together with others' has no time of its own: it came between
// the one before and the read. It is drawn from those whose time is known.
void Fitting::DrawCensored() {
  constexpr int kTries = 20;
  absl::flat_hash_map<uint64_t, std::vector<float>> known;
  const auto key = [](const ModelRequest& request, uint32_t job) {
    return (uint64_t{request.route} << 32) | job;
  };
  for (const ModelRequest& request : model_.requests) {
    for (uint32_t i = 1; i < request.jobs; ++i) {
      const Job& job = model_.jobs[request.first_job + i];
      if (job.prefix_ns >= 0 && job.line == 0) {
        known[key(request, i)].push_back(job.io_ns);
      }
    }
  }
  std::minstd_rand random(7);
  for (const ModelRequest& request : model_.requests) {
    for (uint32_t i = 1; i < request.jobs; ++i) {
      Job& job = model_.jobs[request.first_job + i];
      const auto it = known.find(key(request, i));
      if (job.prefix_ns >= 0 || job.line != 0 || it == known.end()) continue;
      for (int tries = 0; tries < kTries; ++tries) {
        const float drawn = it->second[random() % it->second.size()];
        if (drawn < job.io_ns || drawn > job.io_most_ns) continue;
        job.io_ns = drawn;
        break;
      }
    }
  }
}

// Until the next request would have come. Those that came later had no answer
// when the recording ended, and are not here: of a busy loop that is a while.
void Fitting::FitSpan() {
  if (model_.requests.empty()) return;
  model_.begin_ns = model_.requests.front().ready_ns;
  const int64_t last_ns = model_.requests.back().ready_ns;
  model_.end_ns = std::max(model_.end_ns, last_ns);
  const auto count = static_cast<int64_t>(model_.requests.size());
  if (count < 2) return;
  model_.end_ns = std::min(model_.end_ns,
                           last_ns + (last_ns - model_.begin_ns) / (count - 1));
}

LoopModel Fitting::Finish() {
  const auto by_readiness = [](const auto& one, const auto& other) {
    return one.ready_ns < other.ready_ns;
  };
  std::stable_sort(model_.requests.begin(), model_.requests.end(),
                   by_readiness);
  std::stable_sort(model_.others.begin(), model_.others.end(), by_readiness);
  for (Job& job : model_.jobs) {
    if (!shared_fds_.contains(static_cast<int32_t>(job.station) - 1)) {
      job.station = 0;
    }
  }
  FitSpan();
  const auto mean = [](double sum, uint64_t count) {
    return count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0;
  };
  model_.prefix_ns = mean(prefixes_ns_, prefixes_);
  if (!accepts_ns_.empty()) {
    const auto middle = accepts_ns_.begin() +
                        static_cast<std::ptrdiff_t>(accepts_ns_.size() / 2);
    std::nth_element(accepts_ns_.begin(), middle, accepts_ns_.end());
    model_.accept_ns = *middle;
  }
  collections_.Fit(&model_);
  FitPool();
  lines_.Fit(&model_.jobs);
  DrawCensored();
  FitColdCaches(&model_);
  return std::move(model_);
}

}  // namespace edgewise
