#include "analysis/page/store/length_store.h"

#include <algorithm>
#include <optional>

#include "analysis/page/store/bytes.h"

namespace edgewise {

LengthKind::Totals LengthKind::Sum(std::span<const Totals> parts) {
  Totals totals{};
  for (const Totals& part : parts) {
    totals.most = std::max(totals.most, part.most);
    totals.last = part.last;
  }
  return totals;
}

void LengthKind::Encode(std::span<const Record> lengths, std::string* bytes) {
  Record last{};
  for (const Record& length : lengths) {
    PutSigned(length.at_ns - last.at_ns, bytes);
    PutSigned(static_cast<int64_t>(length.waiting - last.waiting), bytes);
    last = length;
  }
}

void LengthKind::Decode(std::string_view bytes, size_t count,
                        std::vector<Record>* lengths) {
  NumberReader reader(bytes);
  Record last{};
  for (size_t i = 0; i < count; ++i) {
    last.at_ns += reader.NextSigned();
    last.waiting += static_cast<uint64_t>(reader.NextSigned());
    lengths->push_back(last);
  }
}

namespace {

// Changes that come too soon after each other to be drawn.
class Flurry {
 public:
  void Add(int64_t at_ns, uint64_t most, uint64_t last, int64_t last_ns) {
    if (!known_) {
      known_ = true;
      at_ns_ = at_ns;
      most_ = 0;
    }
    most_ = std::max(most_, most);
    last_ = last;
    last_ns_ = last_ns;
  }
  bool known() const { return known_; }
  int64_t at_ns() const { return at_ns_; }

  void Draw(std::vector<StoredLength>* line) {
    if (!known_) return;
    line->push_back({at_ns_, most_});
    if (last_ != most_) line->push_back({last_ns_, last_});
    known_ = false;
  }

 private:
  bool known_ = false;
  int64_t at_ns_ = 0;
  int64_t last_ns_ = 0;
  uint64_t most_ = 0;
  uint64_t last_ = 0;
};

}  // namespace

absl::Status LengthStore::Draw(size_t lane, int64_t from_ns, int64_t to_ns,
                               int64_t least_ns,
                               std::vector<StoredLength>* line) const {
  if (lane >= lengths_.roots().size() || !lengths_.roots()[lane]) {
    return absl::OkStatus();
  }
  uint64_t before = 0;  // held when the stretch began
  bool begun = false;
  Flurry flurry;
  const auto add = [&](int64_t at_ns, uint64_t most, uint64_t last,
                       int64_t last_ns) {
    if (!begun && at_ns > from_ns) line->push_back({from_ns, before});
    begun = true;
    if (flurry.known() && at_ns / least_ns != flurry.at_ns() / least_ns) {
      flurry.Draw(line);
    }
    flurry.Add(at_ns, most, last, last_ns);
  };
  const auto enter = [&](const Pyramid<LengthKind>::Node& node) {
    if (node.begin_ns >= to_ns) return false;
    if (node.end_ns < from_ns) {
      before = node.totals.last;
      return false;
    }
    if (node.begin_ns < from_ns || node.end_ns - node.begin_ns > least_ns) {
      return true;
    }
    add(node.begin_ns, node.totals.most, node.totals.last, node.end_ns);
    return false;
  };
  absl::Status status = lengths_.Walk(
      *lengths_.roots()[lane], enter, [&](const StoredLength& length) {
        if (length.at_ns >= to_ns) return;
        if (length.at_ns < from_ns) {
          before = length.waiting;
        } else {
          add(length.at_ns, length.waiting, length.waiting, length.at_ns);
        }
      });
  if (!begun) line->push_back({from_ns, before});
  flurry.Draw(line);
  return status;
}

}  // namespace edgewise
