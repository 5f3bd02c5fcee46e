#include "boost/daemon/boostd_status.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "boost/daemon/greeting.h"
#include "boost/level.h"

namespace edgewise {
namespace {

constexpr std::array<const char*, kVerdicts> kRefusedNames = {
    "", "user", "garbage", "version", "thread", "frequencies", "full"};

struct Counter {
  const char* name;
  const char* help;
  uint64_t BoostdStatus::*value;
};

constexpr std::array kCounters = {
    Counter{"joined", "Clients that were admitted.", &BoostdStatus::joined},
    Counter{"requests", "Changes of level that were applied.",
            &BoostdStatus::requests},
    Counter{"boosts", "Changes from the low level to a higher one.",
            &BoostdStatus::boosts},
    Counter{"throttled", "Times that a client asked too often and had to wait.",
            &BoostdStatus::throttled},
    Counter{"expelled", "Clients that broke the protocol.",
            &BoostdStatus::expelled},
    Counter{"timeouts", "Connections that did not say a word.",
            &BoostdStatus::timeouts},
    Counter{"actuator_errors", "Changes that the hardware refused.",
            &BoostdStatus::actuator_errors},
};

// All digits: a counter of weeks must still show its milliseconds.
std::string Seconds(int64_t ns) {
  return absl::StrCat(ns / 1'000'000'000, ".",
                      absl::Dec(ns % 1'000'000'000, absl::kZeroPad9));
}

std::string Head(const std::string& name, const char* help, const char* type) {
  return absl::StrCat("# HELP edgewise_boostd_", name, " ", help,
                      "\n# TYPE edgewise_boostd_", name, " ", type, "\n");
}

}  // namespace

absl::StatusOr<BoostdStatus> AskStatus(const std::string& socket_path) {
  BoostdStatus status;
  const absl::StatusOr<Greeted> greeted =
      Greet(socket_path, {.kind = HelloKind::kStatus},
            std::as_writable_bytes(std::span(&status, 1)), 0);
  if (!greeted.ok()) return greeted.status();
  return status;
}

std::string StatusAsPrometheus(const BoostdStatus& status) {
  std::string text = Head("clients", "Clients now.", "gauge");
  absl::StrAppend(&text, "edgewise_boostd_clients ", status.clients, "\n",
                  Head("domains", "Frequency domains.", "gauge"),
                  "edgewise_boostd_domains ", status.domains, "\n");
  for (const Counter& each : kCounters) {
    const std::string name = absl::StrCat(each.name, "_total");
    absl::StrAppend(&text, Head(name, each.help, "counter"), "edgewise_boostd_",
                    name, " ", status.*each.value, "\n");
  }
  absl::StrAppend(&text,
                  Head("refused_total", "Refused, by reason.", "counter"));
  for (size_t i = 1; i < kVerdicts; ++i) {
    absl::StrAppend(&text, "edgewise_boostd_refused_total{reason=\"",
                    kRefusedNames[i], "\"} ", status.refused[i], "\n");
  }
  absl::StrAppend(
      &text, Head("level_seconds_total",
                  "Time at each level, summed over the domains.", "counter"));
  for (size_t i = 0; i < kLevels; ++i) {
    absl::StrAppend(&text, "edgewise_boostd_level_seconds_total{level=\"",
                    std::string(kLevelNames[i]), "\"} ",
                    Seconds(status.level_ns[i]), "\n");
  }
  return text;
}

std::string StatusAsJson(const BoostdStatus& status) {
  std::string text = absl::StrCat("{\"schema\":1,\"clients\":", status.clients,
                                  ",\"domains\":", status.domains);
  for (const Counter& each : kCounters) {
    absl::StrAppend(&text, ",\"", each.name, "\":", status.*each.value);
  }
  absl::StrAppend(&text, ",\"refused\":{");
  for (size_t i = 1; i < kVerdicts; ++i) {
    absl::StrAppend(&text, i > 1 ? "," : "", "\"", kRefusedNames[i],
                    "\":", status.refused[i]);
  }
  absl::StrAppend(&text, "},\"level_ns\":{");
  for (size_t i = 0; i < kLevels; ++i) {
    absl::StrAppend(&text, i > 0 ? "," : "", "\"", std::string(kLevelNames[i]),
                    "\":", status.level_ns[i]);
  }
  return absl::StrCat(text, "}}\n");
}

}  // namespace edgewise
