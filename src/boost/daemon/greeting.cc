#include "boost/daemon/greeting.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

constexpr int64_t kTimeoutNs = 1'000'000'000;

absl::Status Refusal(const std::string& path, Verdict verdict) {
  const std::string text =
      absl::StrCat("boostd at ", path, " refused: ", TextOf(verdict));
  switch (verdict) {
    case Verdict::kUser:
      return absl::PermissionDeniedError(absl::StrCat(
          text, "; next step: start it with --allow-user ", geteuid()));
    case Verdict::kFrequencies:
      return absl::InvalidArgumentError(text);
    case Verdict::kFull:
      return absl::UnavailableError(text);
    default:
      return absl::FailedPreconditionError(text);
  }
}

}  // namespace

absl::StatusOr<Greeted> Greet(const std::string& socket_path,
                              const Hello& hello, std::span<std::byte> answer,
                              size_t fds_wanted) {
  absl::StatusOr<OwnedFd> socket = ConnectTo(socket_path, kTimeoutNs);
  if (!socket.ok()) return socket.status();
  // A refusal may have closed the socket already, but it can be read.
  SendMessage(socket->get(), std::as_bytes(std::span(&hello, 1))).IgnoreError();
  Received received = ReceiveMessage(socket->get(), answer, fds_wanted);
  using What = Received::What;
  if (received.what == What::kNothing || received.what == What::kEnd) {
    return absl::UnavailableError(
        absl::StrCat("boostd at ", socket_path, " does not answer"));
  }
  AnswerHead head;
  if (received.what != What::kMessage || received.size < sizeof(head)) {
    head.magic = 0;
  } else {
    std::memcpy(&head, answer.data(), sizeof(head));
  }
  if (head.magic != kBoostdMagic) {
    return absl::FailedPreconditionError(
        absl::StrCat("what listens at ", socket_path, " is no boostd"));
  }
  if (head.verdict != Verdict::kWelcome) {
    return Refusal(socket_path, head.verdict);
  }
  if (head.version != kBoostdVersion || received.size != answer.size()) {
    return Refusal(socket_path, Verdict::kVersion);
  }
  return Greeted{*std::move(socket), std::move(received)};
}

}  // namespace edgewise
