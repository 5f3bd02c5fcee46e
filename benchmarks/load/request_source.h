#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "load/mix.h"
#include "load/random.h"
#include "load/response_parser.h"
#include "load/template.h"

namespace edgewise::load {

// Draws requests by weight and turns them into bytes.
class RequestSource {
 public:
  struct Request {
    uint32_t spec = 0;  // index into the mix's requests
    std::string bytes;
    std::vector<std::string> own_values;  // for kVariable captures, in order
  };

  // `host` is the Host header's value, `path_prefix` goes before every path.
  RequestSource(const Mix& mix, std::string host, std::string path_prefix,
                uint64_t seed);

  // Requests whose pools are empty are passed over, the others keep their
  // relative weights. ParseMix() made sure that one is always possible.
  void Next(Request* request);

  // Judges the response and keeps what the mix captures from it. False when it
  // is not what the mix expects.
  bool Accept(const Request& request, const ResponseParser& response);

 private:
  uint32_t DrawSpec();
  void Append(const Template& text, Place place, std::string* out);

  const Mix& mix_;
  const std::string host_;
  const std::string path_prefix_;
  Values values_;
  Random random_;
  std::string body_;  // reused between requests
};

}  // namespace edgewise::load
