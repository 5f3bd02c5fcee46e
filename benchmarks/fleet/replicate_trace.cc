// replicate_trace FILE COPIES OUT: FILE as if other machines had recorded it
// too, as OUT-1/NAME, OUT-2/NAME, ...: with addresses of their own, the same
// for the same number, so that traces of a fleet go with one another.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trace/reader.h"
#include "trace/record.h"
#include "trace/socket_address.h"
#include "trace/writer.h"

namespace edgewise {
namespace {

constexpr size_t kSubnetByte = 14;  // of an IPv4 address the third

// The bytes of a string fill the records that follow it.
void MoveAddresses(uint8_t subnet, std::vector<Record>* records) {
  for (size_t i = 0; i < records->size(); ++i) {
    Record& record = (*records)[i];
    if (record.kind == RecordKind::kString) i += StringSlots(record.id_lo);
    if (record.kind != RecordKind::kAddress) continue;
    SocketAddress address = AddressIn(record);
    address.ip[kSubnetByte] = subnet;
    PutAddress(address, static_cast<AddressSide>(record.type), record.aux,
               &record);
  }
}

// Of another process: reports tell processes by this.
std::string MoveMeta(std::string meta, int copy) {
  constexpr char kIdentity[] = "\"identity\":\"";
  const size_t at = meta.find(kIdentity);
  if (at != std::string::npos) {
    meta.insert(at + sizeof(kIdentity) - 1, absl::StrCat(copy, "-"));
  }
  return meta;
}

int Replicate(const std::string& file, int copies, const std::string& out) {
  for (int copy = 1; copy <= copies; ++copy) {
    auto source = FileSource::Open(file);
    if (!source.ok()) {
      fprintf(stderr, "%s\n", std::string(source.status().message()).c_str());
      return 1;
    }
    const std::filesystem::path directory = absl::StrCat(out, "-", copy);
    std::filesystem::create_directories(directory);
    auto writer = ChunkWriter::OpenUnbounded(
        directory / std::filesystem::path(file).filename());
    if (!writer.ok()) {
      fprintf(stderr, "%s\n", std::string(writer.status().message()).c_str());
      return 1;
    }
    ChunkReader reader(source->get(), file, nullptr);
    Chunk chunk;
    while (reader.Next(&chunk)) {
      std::string bytes(chunk.bytes);
      std::vector<Record> records(chunk.records.begin(), chunk.records.end());
      if (chunk.header.kind == ChunkKind::kMeta) bytes = MoveMeta(bytes, copy);
      MoveAddresses(static_cast<uint8_t>(copy), &records);
      const bool is_records = chunk.header.kind == ChunkKind::kRecords;
      const auto written = writer->Append(
          chunk.header,
          is_records ? static_cast<const void*>(records.data()) : bytes.data(),
          static_cast<uint32_t>(is_records ? records.size() * sizeof(Record)
                                           : bytes.size()));
      if (!written.ok()) return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) {
  if (argc != 4 || atoi(argv[2]) < 1 || atoi(argv[2]) > 255) {
    fprintf(stderr, "replicate_trace FILE COPIES OUT, COPIES from 1 to 255\n");
    return 2;
  }
  return edgewise::Replicate(argv[1], atoi(argv[2]), argv[3]);
}
