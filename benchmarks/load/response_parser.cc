#include "load/response_parser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace edgewise::load {
namespace {

constexpr size_t kMaxLineBytes = 16 * 1024;

// A number of digits only: SimpleAtoi would also take signs and white space,
// which RFC 9112 forbids because two parsers may disagree on them.
bool ParseDecimal(absl::string_view text, uint64_t* value) {
  if (text.empty()) return false;
  for (char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  }
  return absl::SimpleAtoi(text, value);
}

bool ParseChunkSize(absl::string_view line, uint64_t* value) {
  const absl::string_view digits =
      absl::StripAsciiWhitespace(line.substr(0, line.find(';')));
  if (digits.empty() || digits.size() > 15) return false;
  for (char c : digits) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return false;
  }
  return absl::SimpleHexAtoi(digits, value);
}

// Whether a comma-separated header value holds `token`.
bool HasToken(absl::string_view value, absl::string_view token) {
  for (absl::string_view part : absl::StrSplit(value, ',')) {
    if (absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(part), token)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void ResponseParser::Reset(bool head_request, bool keep_body) {
  state_ = State::kHeaders;
  head_request_ = head_request;
  keep_body_ = keep_body;
  keep_alive_ = true;
  status_ = 0;
  idle_timeout_s_.reset();
  remaining_ = 0;
  body_bytes_ = 0;
  headers_.clear();
  line_.clear();
  body_.clear();
  error_.clear();
}

ResponseParser::Progress ResponseParser::Fail(std::string message) {
  state_ = State::kError;
  error_ = std::move(message);
  return Progress::kError;
}

ResponseParser::Progress ResponseParser::Feed(absl::string_view bytes,
                                              size_t* consumed) {
  const size_t total = bytes.size();
  while (!bytes.empty() && state_ != State::kDone && state_ != State::kError) {
    size_t used = 0;
    switch (state_) {
      case State::kHeaders:
        used = FeedHeaders(bytes);
        break;
      case State::kChunkSize:
      case State::kChunkEnd:
      case State::kTrailers:
        used = FeedLine(bytes);
        break;
      default:
        used = FeedBody(bytes);
        break;
    }
    bytes.remove_prefix(used);
  }
  *consumed = total - bytes.size();
  if (state_ == State::kDone) return Progress::kDone;
  return state_ == State::kError ? Progress::kError : Progress::kNeedMore;
}

ResponseParser::Progress ResponseParser::FinishAtClose() {
  if (state_ == State::kBodyUntilClose) {
    state_ = State::kDone;
    return Progress::kDone;
  }
  if (state_ == State::kHeaders) {
    return Fail(absl::StrCat("connection closed after ", headers_.size(),
                             " bytes of the response's headers"));
  }
  return Fail(absl::StrCat("connection closed after ", body_bytes_,
                           " bytes of an incomplete body"));
}

size_t ResponseParser::FeedHeaders(absl::string_view bytes) {
  // The terminator may straddle two reads: look again at the last three bytes.
  const size_t old_size = headers_.size();
  const size_t search_from = old_size < 3 ? 0 : old_size - 3;
  absl::StrAppend(&headers_, bytes);
  const size_t end = headers_.find("\r\n\r\n", search_from);
  if (end == std::string::npos) {
    if (headers_.size() > kMaxHeaderBytes) {
      Fail(absl::StrCat("response headers exceed ", kMaxHeaderBytes, " bytes"));
    }
    return bytes.size();
  }
  headers_.resize(end);
  EndOfHeaders();
  return end + 4 - old_size;
}

void ResponseParser::EndOfHeaders() {
  const absl::string_view all = headers_;
  if (!ParseStatusLine(all.substr(0, all.find("\r\n")))) return;
  if (status_ == 101) {
    Fail("the server switched protocols (101), which was not asked for");
    return;
  }
  if (status_ < 200) {  // interim: the real response follows
    headers_.clear();
    return;
  }
  if (!ParseFraming()) return;
  if (head_request_ || status_ == 204 || status_ == 304) state_ = State::kDone;
}

bool ResponseParser::ParseStatusLine(absl::string_view line) {
  // "HTTP/1.1 200 OK"; the reason may be empty or absent.
  uint64_t status = 0;
  const bool shaped = line.size() >= 12 && absl::StartsWith(line, "HTTP/1.") &&
                      (line[7] == '0' || line[7] == '1') && line[8] == ' ' &&
                      (line.size() == 12 || line[12] == ' ') &&
                      ParseDecimal(line.substr(9, 3), &status) && status >= 100;
  if (!shaped) {
    Fail(absl::StrCat("not an HTTP/1.1 status line: \"",
                      absl::CHexEscape(line.substr(0, 60)), "\""));
    return false;
  }
  status_ = static_cast<int>(status);
  keep_alive_ = line[7] == '1';
  return true;
}

bool ResponseParser::ParseFraming() {
  bool chunked = false;
  std::optional<uint64_t> length;
  for (absl::string_view line : absl::StrSplit(headers_, "\r\n")) {
    const size_t colon = line.find(':');
    if (colon == absl::string_view::npos) continue;  // the status line
    const absl::string_view name = line.substr(0, colon);
    const absl::string_view value =
        absl::StripAsciiWhitespace(line.substr(colon + 1));
    if (absl::EqualsIgnoreCase(name, "content-length")) {
      uint64_t parsed = 0;
      if (!ParseDecimal(value, &parsed) || (length && *length != parsed)) {
        Fail(absl::StrCat("content-length \"", absl::CHexEscape(value),
                          "\" is not one decimal number"));
        return false;
      }
      length = parsed;
    } else if (absl::EqualsIgnoreCase(name, "transfer-encoding")) {
      chunked = HasToken(value, "chunked");
    } else if (absl::EqualsIgnoreCase(name, "connection")) {
      if (HasToken(value, "close")) keep_alive_ = false;
      if (HasToken(value, "keep-alive")) keep_alive_ = true;
    } else if (absl::EqualsIgnoreCase(name, "keep-alive")) {
      const size_t at = value.find("timeout=");
      int seconds = 0;
      if (at != absl::string_view::npos &&
          absl::SimpleAtoi(value.substr(at + 8, value.find(',', at) - at - 8),
                           &seconds)) {
        idle_timeout_s_ = seconds;
      }
    }
  }
  if (chunked) {  // wins over content-length (RFC 9112, 6.3)
    state_ = State::kChunkSize;
  } else if (!length) {
    state_ = State::kBodyUntilClose;
    keep_alive_ =
        keep_alive_ && (head_request_ || status_ == 204 || status_ == 304);
  } else {
    remaining_ = *length;
    state_ = remaining_ == 0 ? State::kDone : State::kLengthBody;
  }
  return true;
}

size_t ResponseParser::FeedBody(absl::string_view bytes) {
  size_t used = bytes.size();
  if (state_ != State::kBodyUntilClose) {
    used = static_cast<size_t>(std::min<uint64_t>(used, remaining_));
    remaining_ -= used;
  }
  body_bytes_ += used;
  if (keep_body_ && body_.size() < kMaxKeptBodyBytes) {
    absl::StrAppend(&body_, bytes.substr(0, std::min(used, kMaxKeptBodyBytes -
                                                               body_.size())));
  }
  if (remaining_ == 0 && state_ == State::kLengthBody) state_ = State::kDone;
  if (remaining_ == 0 && state_ == State::kChunkData) {
    state_ = State::kChunkEnd;
  }
  return used;
}

size_t ResponseParser::FeedLine(absl::string_view bytes) {
  const size_t newline = bytes.find('\n');
  const bool ended = newline != absl::string_view::npos;
  const size_t used = ended ? newline + 1 : bytes.size();
  absl::StrAppend(&line_, bytes.substr(0, used));
  if (line_.size() > kMaxLineBytes) {
    Fail("a chunk-size or trailer line is too long");
  } else if (ended) {
    line_.pop_back();
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    EndOfLine();
    line_.clear();
  }
  return used;
}

void ResponseParser::EndOfLine() {
  if (state_ == State::kTrailers) {
    if (line_.empty()) state_ = State::kDone;
  } else if (state_ == State::kChunkEnd) {
    if (!line_.empty()) {
      Fail("a chunk is longer than its size says");
      return;
    }
    state_ = State::kChunkSize;
  } else if (!ParseChunkSize(line_, &remaining_)) {
    Fail(absl::StrCat("chunk size \"", absl::CHexEscape(line_.substr(0, 40)),
                      "\" is not hexadecimal"));
  } else {
    state_ = remaining_ == 0 ? State::kTrailers : State::kChunkData;
  }
}

std::optional<absl::string_view> ResponseParser::Header(
    absl::string_view name) const {
  for (absl::string_view line : absl::StrSplit(headers_, "\r\n")) {
    const size_t colon = line.find(':');
    if (colon == absl::string_view::npos) continue;
    if (absl::EqualsIgnoreCase(line.substr(0, colon), name)) {
      return absl::StripAsciiWhitespace(line.substr(colon + 1));
    }
  }
  return std::nullopt;
}

}  // namespace edgewise::load
