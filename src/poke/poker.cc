#include "poke/poker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

// Less than this is owed until the next round.
constexpr int64_t kLeastPauseNs = 10'000;

// A signal that ends us, as something that can be waited for.
int EndingSignals() {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    sigaddset(&ending, number);
  }
  sigprocmask(SIG_BLOCK, &ending, nullptr);
  return signalfd(-1, &ending, SFD_CLOEXEC);
}

bool WriteLine(int out, std::string line) {
  line += '\n';
  return write(out, line.data(), line.size()) ==
         static_cast<ssize_t>(line.size());
}

std::optional<timespec> AsTime(std::optional<int64_t> ns) {
  if (!ns) return std::nullopt;
  return timespec{.tv_sec = *ns / 1'000'000'000,
                  .tv_nsec = *ns % 1'000'000'000};
}

}  // namespace

Poker::Poker(const PausedProcesses& processes, Gossip gossip,
             std::vector<std::string> counted, PauseEnd* pause_end)
    : processes_(processes),
      gossip_(std::move(gossip)),
      counted_(std::move(counted)),
      pause_end_(pause_end) {}

int Poker::Run(int in, int out) {
  const int signals = EndingSignals();
  bool going_on = true;
  while (going_on) {
    std::vector<pollfd> waiting{
        {in, POLLIN, 0}, {signals, POLLIN, 0}, {gossip_.fd(), POLLIN, 0}};
    for (const CountedProcess& source : sources_) {
      waiting.push_back({source.fd(), POLLIN, 0});
    }
    const std::optional<timespec> limit = AsTime(RemainingNs());
    ppoll(waiting.data(), waiting.size(), limit ? &*limit : nullptr, nullptr);
    ContinueIfDue();
    HearNeighbours();
    CountRequests();
    PauseIfOwed();
    if (waiting[1].revents != 0) going_on = false;
    if (waiting[0].revents != 0) going_on = going_on && ReadCommands(in, out);
  }
  Continue();
  close(signals);
  return 0;
}

bool Poker::ReadCommands(int in, int out) {
  std::array<char, 4096> part{};
  const ssize_t size = read(in, part.data(), part.size());
  if (size <= 0) return size < 0 && errno == EINTR;
  unread_.append(part.data(), static_cast<size_t>(size));
  size_t begin = 0;
  for (size_t end; (end = unread_.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    const auto command = absl::string_view(unread_).substr(begin, end - begin);
    if (!WriteLine(out, Perform(command))) return false;
  }
  unread_.erase(0, begin);
  return true;
}

std::string Poker::Perform(absl::string_view command) {
  const std::vector<absl::string_view> words = absl::StrSplit(command, ' ');
  uint64_t first = 0;
  int64_t pause_ns = 0;
  if (words[0] == "arm" && words.size() == 3 &&
      absl::SimpleAtoi(words[1], &first) &&
      absl::SimpleAtoi(words[2], &pause_ns) && pause_ns >= 0) {
    Continue();
    run_ = first;
    debt_ = Debt(pause_ns);
    armed_ = true;
    return "armed";
  }
  if (words[0] == "follow" && words.size() == 2 &&
      absl::SimpleAtoi(words[1], &first) && first > 0) {
    return Follow(first);
  }
  if (command == "read") return Status();
  if (command == "disarm") {
    armed_ = false;
    sources_.clear();
    Continue();
    return Status();
  }
  return absl::StrCat("error no command: ", command);
}

std::string Poker::Follow(uint64_t every) {
  sources_.clear();
  counted_rounds_ = 0;
  for (const std::string& path : counted_) {
    absl::StatusOr<CountedProcess> source = CountedProcess::Follow(path, every);
    if (!source.ok()) {
      sources_.clear();
      return absl::StrCat("error ", source.status().message());
    }
    sources_.push_back(*std::move(source));
  }
  return "following";
}

std::string Poker::Status() const {
  const int64_t open_ns =
      paused_since_ns_ == 0 ? 0 : MonotonicNs() - paused_since_ns_;
  return absl::StrCat("rounds ", debt_.rounds(), " pauses ", debt_.pauses(),
                      " paused_ns ", debt_.paid_ns() + open_ns, " owed_ns ",
                      debt_.owed_ns() - open_ns, " longest_ns ",
                      debt_.longest_ns());
}

void Poker::HearNeighbours() {
  while (const std::optional<Round> round = gossip_.Receive()) {
    if (round->run == run_) Learn(round->number);
  }
}

void Poker::CountRequests() {
  const uint64_t before = counted_rounds_;
  std::erase_if(sources_, [this](CountedProcess& source) {
    const std::optional<uint64_t> rounds = source.Read();
    counted_rounds_ += rounds.value_or(0);
    return !rounds.has_value();
  });
  if (counted_rounds_ > before) Learn(counted_rounds_);
}

void Poker::Learn(uint64_t number) {
  if (!armed_ || !debt_.Begin(number)) return;
  gossip_.Tell({.run = run_, .number = number});
}

void Poker::PauseIfOwed() {
  const bool begins = paused_since_ns_ == 0;
  if (!armed_ || (begins && debt_.owed_ns() < kLeastPauseNs)) return;
  if (begins) paused_since_ns_ = MonotonicNs();
  pause_end_->store(paused_since_ns_ + debt_.owed_ns(),
                    std::memory_order_relaxed);
  if (begins) processes_.Stop();
}

std::optional<int64_t> Poker::RemainingNs() const {
  if (paused_since_ns_ == 0) return std::nullopt;
  const int64_t due_ns = paused_since_ns_ + debt_.owed_ns();
  return std::max<int64_t>(due_ns - MonotonicNs(), 0);
}

void Poker::ContinueIfDue() {
  if (paused_since_ns_ != 0 && *RemainingNs() == 0) Continue();
}

void Poker::Continue() {
  processes_.Continue();
  if (paused_since_ns_ == 0) return;
  debt_.Pay(MonotonicNs() - paused_since_ns_);
  paused_since_ns_ = 0;
  pause_end_->store(0, std::memory_order_relaxed);
}

}  // namespace edgewise
