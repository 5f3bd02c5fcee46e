#include "whatif/simulation/simulator.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <random>

#include "absl/container/flat_hash_set.h"
#include "whatif/simulation/comings.h"
#include "whatif/simulation/course.h"
#include "whatif/simulation/lines.h"
#include "whatif/simulation/shared_reads.h"
#include "whatif/simulation/work.h"

namespace edgewise {
namespace {

using simulated::Instance;
using simulated::Item;
using simulated::kNobody;
using simulated::Station;

class Run {
 public:
  Run(const LoopModel& model, const Arrivals& arrivals, uint64_t seed,
      uint32_t offload_threads, Pace* pace)
      : model_(model),
        arrivals_(arrivals),
        random_(seed),
        course_(model, pace),
        pace_(pace) {
    pool_.free = std::max(1U, model.pool_threads);
    offload_.free = std::max(1U, offload_threads);
    instances_.reserve(arrivals.requests.size());
    result_.requests.reserve(arrivals.requests.size());
    if (pace != nullptr) TellArrivals();
  }

  Simulated Go() {
    while (true) {
      float idle_ns = -1;
      if (pace_ != nullptr) pace_->LoopIdle(now_ns_);
      if (postponed_.empty() && fresh_.empty()) {
        const int64_t next_ns = NextNs();
        if (next_ns == INT64_MAX) break;
        if (next_ns > now_ns_) idle_ns = Sleep(next_ns);
      }
      Poll();
      if (pace_ != nullptr) TellBusy(idle_ns >= 0);
      RunBatch(idle_ns);
    }
    result_.span_ns =
        static_cast<double>(std::max({now_ns_, arrivals_.span_ns, int64_t{1}}));
    result_.line_busy_ns = lines_.MostBusyNs();
    return std::move(result_);
  }

 private:
  const ModelRequest& RequestOf(uint32_t instance) const {
    return model_.requests[instances_[instance].request];
  }
  const Job& JobOf(uint32_t instance, uint32_t job) const {
    return model_.jobs[RequestOf(instance).first_job + job];
  }

  float OneOf(const std::vector<float>& values) {
    return values.empty() ? 0 : values[random_() % values.size()];
  }

  // To the pace: what is known to come.
  void TellArrivals() {
    for (const Arrivals::Item& arrival : arrivals_.requests) {
      const bool fresh = model_.requests[arrival.index].fresh;
      comings_.Add(arrival.at_ns, fresh ? Comings::kListener : Comings::kAlone);
    }
    for (const Arrivals::Item& arrival : arrivals_.others) {
      if (model_.others[arrival.index].stall) continue;
      comings_.Add(arrival.at_ns, Comings::kAlone);
    }
    pace_->Begin(&comings_);
  }

  void TellBusy(bool slept) {
    comings_.Take(now_ns_);
    files_.clear();
    left_ = 0;
    for (const Item& item : batch_) {
      const uint32_t file = FileOf(item);
      if (file == Comings::kAlone || files_.insert(file).second) ++left_;
    }
    comings_.SetLeft(left_);
    pace_->LoopBusy(now_ns_, left_, slept);
  }

  static uint32_t FileOf(const Item& item) {
    if (item.kind == Item::Kind::kPool) return Comings::kPool;
    return item.kind == Item::Kind::kRead ? item.job : Comings::kAlone;
  }

  void TellEvent() {
    if (left_ > 0) comings_.SetLeft(--left_);
    pace_->EventBegin(now_ns_);
  }

  void Plan(const Item& item) {
    future_.push(item);
    if (pace_ != nullptr) comings_.Add(item.at_ns, FileOf(item));
  }

  int64_t NextNs() const {
    int64_t ns = future_.empty() ? INT64_MAX : future_.top().at_ns;
    if (next_request_ < arrivals_.requests.size()) {
      ns = std::min(ns, arrivals_.requests[next_request_].at_ns);
    }
    if (next_other_ < arrivals_.others.size()) {
      ns = std::min(ns, arrivals_.others[next_other_].at_ns);
    }
    return ns;
  }

  // Until something is ready; returns for how long.
  float Sleep(int64_t next_ns) {
    // What stops a thread that sleeps harms nobody.
    while (next_other_ < arrivals_.others.size()) {
      const Arrivals::Item& next = arrivals_.others[next_other_];
      if (next.at_ns != next_ns || !model_.others[next.index].stall) break;
      ++next_other_;
      next_ns = NextNs();
      if (next_ns == INT64_MAX) return -1;
    }
    if (next_ns <= now_ns_) return -1;
    const bool pool = !future_.empty() && future_.top().at_ns == next_ns &&
                      future_.top().kind == Item::Kind::kPool;
    const float wake_ns = OneOf(pool ? model_.pool_wakes_ns : model_.wakes_ns);
    const int64_t before_ns = now_ns_;
    now_ns_ = next_ns + static_cast<int64_t>(wake_ns);
    return static_cast<float>(now_ns_ - before_ns);
  }

  // Takes all that is ready, by its time.
  void Poll() {
    batch_.clear();
    while (true) {
      const int64_t at_ns = NextNs();
      if (at_ns > now_ns_) break;
      if (!future_.empty() && future_.top().at_ns == at_ns) {
        const Item item = future_.top();
        future_.pop();
        TakeItem(item);
      } else if (next_request_ < arrivals_.requests.size() &&
                 arrivals_.requests[next_request_].at_ns == at_ns) {
        TakeRequest(arrivals_.requests[next_request_++]);
      } else {
        const Arrivals::Item& other = arrivals_.others[next_other_++];
        batch_.push_back({at_ns, kNobody, other.index, Item::Kind::kOther});
      }
    }
    if (!fresh_.empty()) {
      batch_.push_back({now_ns_, kNobody, 0, Item::Kind::kFresh});
    }
    batch_.insert(batch_.end(), postponed_.begin(), postponed_.end());
    postponed_.clear();
  }

  void TakeRequest(const Arrivals::Item& arrival) {
    const auto instance = static_cast<uint32_t>(instances_.size());
    const ModelRequest& request = model_.requests[arrival.index];
    uint32_t first_end = kNobody;
    for (uint32_t i = 1; i < request.jobs; ++i) {
      if (model_.jobs[request.first_job + i].join == Job::kNone) continue;
      first_end = static_cast<uint32_t>(ends_.size());
      ends_.resize(ends_.size() + request.jobs, -1);
      break;
    }
    instances_.push_back({arrival.at_ns, arrival.index, first_end});
    const Item item{arrival.at_ns, instance, 0, Item::Kind::kReady};
    if (request.delay_ns > 0) {
      Ready(arrival.at_ns + static_cast<int64_t>(request.delay_ns), instance,
            0);
    } else if (model_.jobs[request.first_job].station != 0) {
      Ready(arrival.at_ns, instance, 0);
    } else if (request.fresh) {
      fresh_.push_back(item);
    } else {
      batch_.push_back(item);
    }
  }

  // The job may run from then on.
  void Ready(int64_t at_ns, uint32_t instance, uint32_t number) {
    const uint32_t connection = JobOf(instance, number).station;
    if (connection != 0) {
      reads_.Add(connection, {at_ns, instance, number});
      Plan({at_ns, kNobody, connection, Item::Kind::kRead});
    } else {
      Plan({at_ns, instance, number, Item::Kind::kReady});
    }
  }

  void TakeItem(const Item& item) {
    switch (item.kind) {
      case Item::Kind::kPool:
        Release(&pool_, item.at_ns, Item::Kind::kPool);
        Await(item.instance, item.job, item.at_ns);
        break;
      case Item::Kind::kOffload:
        Release(&offload_, item.at_ns, Item::Kind::kOffload);
        batch_.push_back(
            {item.at_ns, item.instance, item.job, Item::Kind::kReturn});
        break;
      default:
        batch_.push_back(item);
    }
  }

  void Submit(Station* station, int64_t at_ns, const Station::Work& work,
              Item::Kind kind) {
    if (station->free == 0) {
      station->waiting.push_back(work);
      return;
    }
    --station->free;
    Plan(
        {at_ns + static_cast<int64_t>(work.ns), work.instance, work.job, kind});
  }

  void Release(Station* station, int64_t at_ns, Item::Kind kind) {
    ++station->free;
    if (station->waiting.empty()) return;
    const Station::Work work = station->waiting.front();
    station->waiting.pop_front();
    Submit(station, at_ns, work, kind);
  }

  void RunBatch(float idle_ns) {
    bool looks = idle_ns < 0;
    for (const Item& item : batch_) {
      if (item.kind == Item::Kind::kRead && !reads_.HasAny(item.job, now_ns_)) {
        continue;  // an earlier read took it
      }
      const int64_t before_ns = now_ns_;
      const float cold_ns = model_.cold.ExtraNs(idle_ns);
      // What is ready with others is taken without another look at the kernel.
      if (pace_ != nullptr) TellEvent();
      if (looks) Look(OneOf(model_.gaps_ns));
      looks = false;
      idle_ns = -1;
      if (item.kind == Item::Kind::kOther) {
        const OtherWork& other = model_.others[item.job];
        if (other.stall) {
          now_ns_ += static_cast<int64_t>(other.ns);
        } else {
          Spend(other.ns);
        }
      } else if (item.kind == Item::Kind::kFresh) {
        Spend(cold_ns + model_.accept_ns);
        postponed_.push_back(fresh_.front());
        fresh_.pop_front();
      } else if (item.kind == Item::Kind::kRead) {
        RunRead(item.job, cold_ns);
      } else {
        const Job& job = JobOf(item.instance, item.job);
        Spend(cold_ns + std::max(0.F, job.prefix_ns));
        RunJob(item);
      }
      result_.busy_ns += static_cast<double>(now_ns_ - before_ns);
    }
  }

  void Spend(float run_ns) { now_ns_ = course_.Run(now_ns_, run_ns); }

  // At the kernel, between two events: no pause comes there.
  void Look(float ns) {
    now_ns_ = pace_ != nullptr ? pace_->Run(now_ns_, ns, 0, nullptr)
                               : now_ns_ + static_cast<int64_t>(ns);
  }

  // All that a shared connection has by now.
  void RunRead(uint32_t connection, float cold_ns) {
    const int64_t read_ns = now_ns_;
    for (bool first = true; reads_.HasAny(connection, read_ns); first = false) {
      const auto [at_ns, instance, number] = reads_.Take(connection);
      if (first) {
        const float prefix_ns = JobOf(instance, number).prefix_ns;
        Spend(cold_ns + (prefix_ns >= 0 ? prefix_ns : model_.prefix_ns));
      }
      RunJob({at_ns, instance, number, Item::Kind::kReady});
    }
  }

  void RunJob(const Item& item) {
    ++result_.jobs;
    if (pace_ != nullptr && item.job == 0 && item.kind != Item::Kind::kReturn) {
      pace_->RequestBegin(now_ns_, item.instance + 1,
                          RequestOf(item.instance).route);
    }
    const Job& job = JobOf(item.instance, item.job);
    const Instance& instance = instances_[item.instance];
    if (job.offload_ns > 0 && item.kind == Item::Kind::kReady) {
      Spend((job.own_ns - job.offload_ns) / 2);
      Submit(&offload_, now_ns_, {item.instance, item.job, job.offload_ns},
             Item::Kind::kOffload);
      return;
    }
    const bool returned = item.kind == Item::Kind::kReturn;
    const float own_ns =
        returned ? (job.own_ns - job.offload_ns) / 2 : job.own_ns;
    const RunCourse::End end{job.end_ns, item.instance + 1};
    now_ns_ = course_.Run(now_ns_, own_ns, job.end_ns >= 0 ? &end : nullptr);
    if (job.end_ns >= 0) {
      result_.requests.push_back(
          {RequestOf(item.instance).route,
           static_cast<float>(course_.At(job.end_ns) - instance.at_ns),
           instance.at_ns});
    }
    if (instance.first_end != kNobody) {
      ends_[instance.first_end + item.job] = now_ns_;
    }
    Follow(item);
  }

  // Begins what waits for the job.
  void Follow(const Item& item) {
    const ModelRequest& request = RequestOf(item.instance);
    for (uint32_t i = item.job + 1; i < request.jobs; ++i) {
      const Job& job = model_.jobs[request.first_job + i];
      if (job.parent != item.job) continue;
      const int64_t asked_ns = course_.At(job.issue_ns);
      if (job.pool_ns >= 0) {
        Submit(&pool_, asked_ns + static_cast<int64_t>(job.io_ns),
               {item.instance, i, job.pool_ns}, Item::Kind::kPool);
      } else {
        Await(item.instance, i, lines_.AnsweredNs(job, asked_ns));
      }
    }
    if (instances_[item.instance].first_end == kNobody) return;
    for (uint32_t i = item.job + 1; i < request.jobs; ++i) {
      if (model_.jobs[request.first_job + i].join == item.job) Joined(item, i);
    }
  }

  // Ready then, unless another branch has not ended by then.
  void Await(uint32_t instance, uint32_t number, int64_t at_ns) {
    const Job& job = JobOf(instance, number);
    const uint32_t first_end = instances_[instance].first_end;
    if (job.join != Job::kNone && ends_[first_end + job.join] < 0) {
      // Its own wait is noted until that one ends.
      ends_[first_end + number] = -2 - at_ns;
      return;
    }
    Ready(at_ns, instance, number);
  }

  void Joined(const Item& item, uint32_t number) {
    int64_t& noted = ends_[instances_[item.instance].first_end + number];
    if (noted > -2) return;
    const int64_t at_ns = std::max(now_ns_, -2 - noted);
    noted = -1;
    Ready(at_ns, item.instance, number);
  }

  const LoopModel& model_;
  const Arrivals& arrivals_;
  std::minstd_rand random_;
  RunCourse course_;
  Pace* const pace_;  // null: as fast as recorded
  Comings comings_;   // for the pace, as are the following
  absl::flat_hash_set<uint32_t> files_;
  uint32_t left_ = 0;  // of the batch
  int64_t now_ns_ = 0;
  size_t next_request_ = 0;
  size_t next_other_ = 0;
  std::priority_queue<Item> future_;
  std::deque<Item> fresh_;  // connections to accept
  std::vector<Item> postponed_;
  std::vector<Item> batch_;
  SharedReads reads_;
  Lines lines_;
  std::vector<Instance> instances_;
  std::vector<int64_t> ends_;
  Station pool_{};
  Station offload_{};
  Simulated result_;
};

}  // namespace

Simulated Simulate(const LoopModel& model, const Arrivals& arrivals,
                   uint64_t seed, uint32_t offload_threads, Pace* pace) {
  return Run(model, arrivals, seed, offload_threads, pace).Go();
}

}  // namespace edgewise
