#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "boost/guardian.h"

// What a process and its guardian say to each other: the owner's list, the
// guardian's answer (kReady, or a line that says why not), and, when the values
// are back, the owner's kReleased. Anything else, and above all the end, has
// the guardian write the list.
namespace edgewise::guardian_protocol {

inline constexpr std::string_view kReady = "ready\n";
inline constexpr std::string_view kReleased = "released\n";

// The last line of a list.
inline constexpr std::string_view kEndOfList = "\n.\n";

// More than any machine's list has.
inline constexpr size_t kMaxListBytes = size_t{4} << 20;

struct List {
  std::string root;  // prefix of /sys
  pid_t owner = 0;
  std::vector<SavedSetting> saved;
};

std::string ListText(const List& list);

// `text`: with kEndOfList. InvalidArgument: the first line that is wrong.
absl::StatusOr<List> ParseList(const std::string& text);

}  // namespace edgewise::guardian_protocol
