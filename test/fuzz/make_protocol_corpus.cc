// Writes the protocol fuzzer's seed corpus: what real programs said.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "test/native/recorder/protocol/captures_of_databases.h"
#include "test/native/recorder/protocol/captures_of_services.h"

namespace edgewise {
namespace {

// As protocol_fuzzer.cc reads it.
std::string Input(std::span<const Capture> captures) {
  std::string input(3, '\0');
  for (const Capture& capture : captures) {
    const size_t bytes = capture.bytes.size();
    const int direction = capture.direction == '<' ? 0x80 : 0;
    input += static_cast<char>(direction | static_cast<int>(bytes >> 8));
    input += static_cast<char>(bytes & 0xff);
    input += capture.bytes;
  }
  return input;
}

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) {
  using namespace edgewise;  // NOLINT
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_protocol_corpus DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);
  const std::span<const Capture> all[] = {
      kPg,      kPostgresJs, kMysql2,     kMongodb,    kIoredis, kMemcached,
      kMemjs,   kHttpAgent,  kFetch,      kHttp2,      kGrpcJs,  kHttps,
      kAmqplib, kKafkajs,    kNodemailer, kTlsConnect,
  };
  int number = 0;
  for (const auto& captures : all) {
    std::ofstream(directory / std::to_string(number++), std::ios::binary)
        << Input(captures);
  }
  return 0;
}
