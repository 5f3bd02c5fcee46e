#include "across/call_names.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "across/sessions.h"
#include "trace/trace_context.h"

namespace edgewise {
namespace {

constexpr size_t kMostOfAName = 64;
constexpr int kMostLevels = 16;

using RequestId = std::pair<uint32_t, uint32_t>;  // file, request

// Several steps may wait for parts of one answer.
struct Question {
  uint32_t file;
  uint32_t request;
  int64_t asked_ns;
  int64_t read_ns;
  int64_t caller_begin_ns;
  uint16_t clock;
  std::vector<size_t> candidates;  // places of requests

  bool IsOf(const CalledRow& call) const {
    return std::tie(file, request, asked_ns) ==
           std::tie(call.file, call.request, call.asked_ns);
  }
  // Any that was there meanwhile: both of its ends may be told of late. Threads
  // begin with who asks before they begin with what is asked for.
  bool MayBe(const ServedRow& served) const {
    if (served.file == file && served.request == request) return false;
    if (served.clock != clock) return IsLongEnough(served);
    if (served.begin_ns < caller_begin_ns) return false;
    return OutsideOf(asked_ns, read_ns, served.ready_ns, served.end_ns)
        .has_value();
  }
  // Where nothing else may be.
  bool Is(const ServedRow& served) const {
    if (served.clock != clock) return true;
    return OutsideOf(asked_ns, read_ns, served.ready_ns, served.end_ns)
        ->IsNoMoreThan(kPreemptedNs);
  }
  RequestId id() const { return {file, request}; }

 private:
  bool IsLongEnough(const ServedRow& served) const {
    return served.end_ns - served.ready_ns <= read_ns - asked_ns + kLateNs;
  }
};

class Names {
 public:
  Names(std::span<const CalledRow> calls, std::span<const ServedRow> requests)
      : requests_(requests) {
    for (const CalledRow& call : calls) {
      if (call.served_file != 0) {
        joined_.push_back({{call.served_file, call.served_request},
                           {call.file, call.request}});
        continue;
      }
      Question* const known = Of(call);
      if (known != nullptr) {
        known->read_ns = std::max(known->read_ns, call.read_ns);
      } else {
        questions_.push_back({call.file,
                              call.request,
                              call.asked_ns,
                              call.read_ns,
                              call.caller_begin_ns,
                              call.clock,
                              {}});
      }
    }
  }

  void Join() {
    for (Question& question : questions_) {
      for (size_t i = 0; i < requests_.size(); ++i) {
        if (question.MayBe(requests_[i])) question.candidates.push_back(i);
      }
    }
    LeaveOutAncestors();
    LeaveOutNested();
  }

  Question* Of(const CalledRow& call) {
    const auto found =
        std::find_if(questions_.begin(), questions_.end(),
                     [&](const Question& each) { return each.IsOf(call); });
    return found != questions_.end() ? &*found : nullptr;
  }

  // Null: none, or one of several.
  const ServedRow* RequestOf(const Question& question) const {
    const ServedRow* const only = OnlyOf(question);
    return only == nullptr || IsAbove(IdOf(*only), question.id()) ? nullptr
                                                                  : only;
  }
  size_t questions() const { return questions_.size(); }

 private:
  static RequestId IdOf(const ServedRow& row) {
    return {row.file, row.request};
  }

  // Who else may have asked for it.
  size_t AskersOf(size_t request) const {
    return std::count_if(
        questions_.begin(), questions_.end(), [&](const Question& each) {
          return std::find(each.candidates.begin(), each.candidates.end(),
                           request) != each.candidates.end();
        });
  }

  const ServedRow* OnlyOf(const Question& question) const {
    if (question.candidates.size() != 1) return nullptr;
    const size_t only = question.candidates[0];
    if (AskersOf(only) != 1 || !question.Is(requests_[only])) return nullptr;
    return &requests_[only];
  }

  // Who has asked for it.
  std::optional<RequestId> AskerOf(RequestId request) const {
    for (const auto& [served, asker] : joined_) {
      if (served == request) return asker;
    }
    for (const Question& question : questions_) {
      const ServedRow* const only = OnlyOf(question);
      if (only != nullptr && IdOf(*only) == request) return question.id();
    }
    return std::nullopt;
  }

  // Whether it has asked for the other one, or for who has.
  bool IsAbove(RequestId request, RequestId other) const {
    std::optional<RequestId> asker = AskerOf(other);
    for (int i = 0; i < kMostLevels && asker.has_value(); ++i) {
      if (*asker == request) return true;
      asker = AskerOf(*asker);
    }
    return false;
  }

  void LeaveOutAncestors() {
    std::vector<std::vector<size_t>> left;
    for (const Question& question : questions_) {
      std::vector<size_t>& kept = left.emplace_back(question.candidates);
      std::erase_if(kept, [&](size_t i) {
        return IsAbove(IdOf(requests_[i]), question.id());
      });
    }
    Keep(std::move(left));
  }

  void Keep(std::vector<std::vector<size_t>> candidates) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      questions_[i].candidates = std::move(candidates[i]);
    }
  }

  // A request that another candidate may have asked for is further down: where
  // that one is certain to be no caller of who asks.
  void LeaveOutNested() {
    std::vector<std::vector<size_t>> left;
    for (const Question& outer : questions_) {
      std::vector<size_t>& kept = left.emplace_back(outer.candidates);
      for (const Question& inner : questions_) {
        if (!MayAsk(outer, inner.id()) || MayAsk(inner, outer.id())) continue;
        std::erase_if(kept, [&](size_t i) {
          return std::find(inner.candidates.begin(), inner.candidates.end(),
                           i) != inner.candidates.end();
        });
      }
    }
    Keep(std::move(left));
  }

  bool MayAsk(const Question& question, RequestId request) const {
    return std::any_of(question.candidates.begin(), question.candidates.end(),
                       [&](size_t i) { return IdOf(requests_[i]) == request; });
  }

  const std::span<const ServedRow> requests_;
  std::vector<Question> questions_;
  // Of calls that are joined already: a request, and who has asked for it.
  std::vector<std::pair<RequestId, RequestId>> joined_;
};

}  // namespace

std::vector<NamedCall> JoinByName(std::span<const CalledRow> calls,
                                  std::span<const ServedRow> requests) {
  std::vector<NamedCall> joined(calls.size());
  if (calls.empty() || requests.empty() || calls.size() > kMostOfAName ||
      requests.size() > kMostOfAName) {
    return joined;
  }
  Names names(calls, requests);
  const bool traced = TraceContext::IsTracedKey(calls.front().context);
  if (traced && names.questions() == 1 && requests.size() == 1) {
    for (size_t i = 0; i < calls.size(); ++i) {
      if (Fits(calls[i], requests[0])) joined[i] = {&requests[0], 1};
    }
    return joined;
  }
  names.Join();
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].served_file != 0) continue;
    const Question& question = *names.Of(calls[i]);
    joined[i] = {names.RequestOf(question),
                 static_cast<uint32_t>(question.candidates.size())};
  }
  return joined;
}

}  // namespace edgewise
