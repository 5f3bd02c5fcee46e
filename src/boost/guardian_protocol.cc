#include "boost/guardian_protocol.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace edgewise::guardian_protocol {

std::string ListText(const List& list) {
  std::string text = absl::StrCat("root\t", list.root, "\t", list.owner);
  for (const auto& [setting, ours] : list.saved) {
    absl::StrAppend(&text, "\nwrite\t", setting.path, "\t", setting.value, "\t",
                    ours.path, "\t", ours.value);
  }
  return text.append(kEndOfList);
}

absl::StatusOr<List> ParseList(const std::string& text) {
  List list;
  if (!text.ends_with(kEndOfList)) {
    return absl::InvalidArgumentError("the list has no end");
  }
  bool first = true;
  const std::string lines(text, 0, text.size() - kEndOfList.size());
  for (const absl::string_view line : absl::StrSplit(lines, '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, '\t');
    const bool right = fields.size() == (first ? 3 : 5) &&
                       fields[0] == (first ? "root" : "write") &&
                       (!first || absl::SimpleAtoi(fields[2], &list.owner));
    if (!right) {
      return absl::InvalidArgumentError(absl::StrCat("line \"", line, "\""));
    }
    if (first) {
      list.root = std::string(fields[1]);
    } else {
      list.saved.push_back({{std::string(fields[1]), std::string(fields[2])},
                            {std::string(fields[3]), std::string(fields[4])}});
    }
    first = false;
  }
  return list;
}

}  // namespace edgewise::guardian_protocol
