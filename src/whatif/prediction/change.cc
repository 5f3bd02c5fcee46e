#include "whatif/prediction/change.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "whatif/prediction/heap_change.h"
#include "whatif/prediction/input_change.h"

namespace edgewise {
namespace {

constexpr float kHandOverNs = 50'000;  // to another thread, and back: half each
constexpr double kBurstNs = 4e6;       // a neighbour's

class Changing {
 public:
  Changing(ChangedLoop* changed, const ModelNames& names,
           std::vector<std::string>* assumed)
      : changed_(changed),
        model_(changed->model),
        names_(names),
        assumed_(assumed) {}

  absl::Status Apply(const Change& change) {
    switch (change.kind) {
      case Change::Kind::kCpu:
        return EachRequest(change, [&](ModelRequest& request) {
          for (uint32_t i = 0; i < request.jobs; ++i) {
            Stretch(&JobOf(request, i), change.scale);
          }
          return true;
        });
      case Change::Kind::kWait:
        return ChangeWaits(change);
      case Change::Kind::kCollections:
        for (LoopPause& each : model_.collections) {
          each.ns *= static_cast<float>(change.scale);
        }
        return absl::OkStatus();
      case Change::Kind::kLoad:
        Assume("users do not wait for answers before they ask again");
        changed_->load *= change.scale;
        return absl::OkStatus();
      case Change::Kind::kProcessor:
        SlowDown(1 / change.scale, &model_);
        return absl::OkStatus();
      case Change::Kind::kNeighbour:
        AddNeighbour(change.scale);
        return absl::OkStatus();
      case Change::Kind::kReplicaLost:
        return LoseReplica(change);
      case Change::Kind::kParallel:
        return MakeParallel(change);
      case Change::Kind::kBatch:
        return Batch(change);
      case Change::Kind::kOffload:
        return Offload(change);
      case Change::Kind::kWorkers:
        Assume("each process has a processor of its own");
        changed_->workers *= change.count;
        return absl::OkStatus();
      case Change::Kind::kSemiSpace:
        return ChangeSemiSpace(change.bytes, &model_, assumed_);
      case Change::Kind::kInput:
        return ScaleInput(change.route, change.scale, *names_.routes, &model_,
                          assumed_);
    }
    return absl::InvalidArgumentError("a change is of no known kind");
  }

 private:
  Job& JobOf(const ModelRequest& request, uint32_t i) {
    return model_.jobs[request.first_job + i];
  }

  void Assume(const std::string& text) { assumed_->push_back(text); }

  // Applies to each request of the route; it says whether there was anything.
  template <typename Each>
  absl::Status EachRequest(const Change& change, Each each) {
    bool is_there = false;
    bool applied = false;
    for (ModelRequest& request : model_.requests) {
      const std::string& route = names_.routes->Text(request.route);
      if (!change.route.empty() && route != change.route) continue;
      is_there = true;
      applied |= each(request);
    }
    if (!is_there) {
      return absl::NotFoundError(
          absl::StrCat("no request of route ", change.route));
    }
    if (!applied) return absl::NotFoundError(NotThere(change));
    return absl::OkStatus();
  }

  static std::string NotThere(const Change& change) {
    const std::string of =
        change.route.empty() ? "any route" : "route " + change.route;
    switch (change.kind) {
      case Change::Kind::kWait:
        return absl::StrCat("no request of ", of, " waits for ",
                            change.dependency);
      case Change::Kind::kParallel:
        return absl::StrCat("no request of ", of, " waits for wait ",
                            change.first, " and then for wait ", change.second);
      case Change::Kind::kBatch:
        return absl::StrCat("no request of ", of,
                            " makes a call twice in a row");
      default:
        return absl::StrCat("nothing of ", of, " can be changed so");
    }
  }

  bool Matches(const Job& job, const Change& change) const {
    if (job.parent == Job::kNone) return false;
    return change.dependency.empty() ||
           absl::StrContains(names_.dependencies->At(job.dependency).what(),
                             change.dependency);
  }

  absl::Status ChangeWaits(const Change& change) {
    std::vector<float> sorted;  // what was waited, to rank by
    if (!change.tier.empty()) {
      for (const Job& job : model_.jobs) {
        if (Matches(job, change)) sorted.push_back(job.io_ns + job.work_ns);
      }
      std::sort(sorted.begin(), sorted.end());
      Assume("a slow answer of the one is a slow answer of the other");
    }
    if (change.add_ns > 0 || change.scale > 1) {
      Assume("whoever is asked does not queue more for it");
    }
    return EachRequest(change, [&](ModelRequest& request) {
      bool any = false;
      for (uint32_t i = 1; i < request.jobs; ++i) {
        Job& job = JobOf(request, i);
        if (!Matches(job, change)) continue;
        any = true;
        float& ns = job.pool_ns >= 0 ? job.pool_ns : job.io_ns;
        if (!change.tier.empty()) {
          const auto rank =
              static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(),
                                                   job.io_ns + job.work_ns) -
                                  sorted.begin());
          const double at = rank / static_cast<double>(sorted.size()) *
                            static_cast<double>(change.tier.size());
          ns = change.tier[std::min(change.tier.size() - 1,
                                    static_cast<size_t>(at))];
          job.work_ns = 0;
        }
        ns = static_cast<float>(std::max(
            0.0, static_cast<double>(ns) * change.scale + change.add_ns));
        job.work_ns *= static_cast<float>(change.scale);
      }
      return any;
    });
  }

  // Bursts that come while the loop runs stop it; while it sleeps they do not.
  void AddNeighbour(double share) {
    Assume(
        "the neighbour is on the loop's processor, runs for 4 ms at a time, "
        "and gives way when the loop wakes up");
    std::minstd_rand random(11);
    const double between_ns = std::max(1.0, kBurstNs / share - kBurstNs);
    std::exponential_distribution<double> gap(1 / between_ns);
    double at_ns = static_cast<double>(model_.begin_ns);
    std::vector<OtherWork> bursts;
    while (at_ns < static_cast<double>(model_.end_ns)) {
      bursts.push_back({static_cast<int64_t>(at_ns),
                        static_cast<float>(kBurstNs), EventType::kUnknown,
                        true});
      at_ns += kBurstNs + gap(random);
    }
    const size_t before = model_.others.size();
    model_.others.insert(model_.others.end(), bursts.begin(), bursts.end());
    std::inplace_merge(
        model_.others.begin(),
        model_.others.begin() + static_cast<std::ptrdiff_t>(before),
        model_.others.end(), [](const OtherWork& one, const OtherWork& other) {
          return one.ready_ns < other.ready_ns;
        });
  }

  absl::Status LoseReplica(const Change& change) {
    if (change.count < 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "of ", change.count, " servers none can be lost: nobody is left"));
    }
    Assume(
        "the others share its requests at once; those that it had are tried "
        "again after the time given");
    changed_->load *= change.count / (change.count - 1.0);
    uint32_t number = 0;
    for (ModelRequest& request : model_.requests) {
      if (number++ % change.count == 0) {
        request.delay_ns += static_cast<float>(change.add_ns);
      }
    }
    return absl::OkStatus();
  }

  // The jobs that follow waits on the way to the response, in order.
  std::vector<uint32_t> WaitsOf(const ModelRequest& request) {
    uint32_t at = Job::kNone;
    for (uint32_t i = 0; i < request.jobs; ++i) {
      if (JobOf(request, i).end_ns >= 0) at = i;
    }
    std::vector<uint32_t> waits;
    for (; at != Job::kNone && at != 0; at = JobOf(request, at).parent) {
      waits.push_back(at);
    }
    std::reverse(waits.begin(), waits.end());
    return waits;
  }

  absl::Status MakeParallel(const Change& change) {
    Assume("neither of what is made parallel needs the other's answer");
    return EachRequest(change, [&](ModelRequest& request) {
      const std::vector<uint32_t> waits = WaitsOf(request);
      if (change.second > waits.size() || change.first >= change.second ||
          change.first == 0) {
        return false;
      }
      const uint32_t first = waits[change.first - 1];
      const uint32_t second = waits[change.second - 1];
      Job& later = JobOf(request, second);
      later.parent = JobOf(request, first).parent;
      later.issue_ns = JobOf(request, first).issue_ns;
      later.join = waits[change.second - 2];
      return true;
    });
  }

  absl::Status Batch(const Change& change) {
    Assume(
        "one call for all takes as long as the first of them, and what is "
        "executed stays");
    return EachRequest(change, [&](ModelRequest& request) {
      const std::vector<uint32_t> waits = WaitsOf(request);
      bool any = false;
      for (size_t i = 1; i < waits.size(); ++i) {
        Job& job = JobOf(request, waits[i]);
        const Job& before = JobOf(request, waits[i - 1]);
        if (job.call == 0 || job.call != before.call ||
            job.parent != waits[i - 1]) {
          continue;
        }
        job.io_ns = job.io_most_ns = job.work_ns = 0;
        job.pool_ns = -1;
        any = true;
      }
      return any;
    });
  }

  absl::Status Offload(const Change& change) {
    Assume(absl::StrCat("handing work to a thread and back takes ",
                        kHandOverNs / 1000, " us of the loop"));
    changed_->offload_threads = std::max(1U, change.count);
    return EachRequest(change, [&](ModelRequest& request) {
      uint32_t longest = 0;
      for (uint32_t i = 1; i < request.jobs; ++i) {
        if (JobOf(request, i).own_ns > JobOf(request, longest).own_ns) {
          longest = i;
        }
      }
      Job& job = JobOf(request, longest);
      if (job.own_ns <= kHandOverNs) return false;
      job.offload_ns = job.own_ns - kHandOverNs;
      return true;
    });
  }

  ChangedLoop* changed_;
  LoopModel& model_;
  const ModelNames& names_;
  std::vector<std::string>* assumed_;
};

}  // namespace

void Stretch(Job* job, double scale) {
  const auto by = static_cast<float>(scale);
  job->own_ns *= by;
  job->issue_ns *= by;
  if (job->end_ns > 0) job->end_ns *= by;
}

void SlowDown(double by, LoopModel* model) {
  for (Job& job : model->jobs) {
    Stretch(&job, by);
    if (job.prefix_ns > 0) job.prefix_ns *= static_cast<float>(by);
  }
  for (OtherWork& each : model->others) each.ns *= static_cast<float>(by);
  for (LoopPause& each : model->collections) {
    each.ns *= static_cast<float>(by);
    each.after_ns *= static_cast<float>(by);
  }
  for (LoopPause& each : model->displaced) {
    each.after_ns *= static_cast<float>(by);
  }
  for (float& ns : model->gaps_ns) ns *= static_cast<float>(by);
  model->accept_ns *= static_cast<float>(by);
  model->prefix_ns *= static_cast<float>(by);
}

absl::StatusOr<ChangedLoop> ApplyChanges(const LoopModel& model,
                                         const std::vector<Change>& changes,
                                         const ModelNames& names,
                                         std::vector<std::string>* assumed) {
  ChangedLoop changed{model};
  std::vector<std::string> all;
  Changing changing(&changed, names, &all);
  for (const Change& change : changes) {
    if (absl::Status status = changing.Apply(change); !status.ok()) {
      return status;
    }
  }
  for (std::string& text : all) {
    const bool known =
        std::find(assumed->begin(), assumed->end(), text) != assumed->end();
    if (!known) assumed->push_back(std::move(text));
  }
  return changed;
}

}  // namespace edgewise
