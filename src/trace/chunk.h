#pragma once

#include <cstddef>
#include <cstdint>

// A trace is a directory of files `<pid>-<thread>.ewt`, one per recorded
// thread; a file is a sequence of chunks. A chunk is written with one write(2)
// and carries its own checksums, so that a file cut off at any byte is readable
// up to its last whole chunk, and a damaged chunk is skipped by finding the
// next magic number. Documented in docs/trace-format.md.

namespace edgewise {

inline constexpr uint32_t kChunkMagic = 0x43575745;  // "EWWC"
inline constexpr uint16_t kTraceVersion = 1;
inline constexpr uint32_t kMaxChunkPayload = 64u << 20;

enum class ChunkKind : uint16_t {
  kMeta = 1,     // payload: UTF-8 JSON; the first chunk of every file
  kRecords = 2,  // payload: Record[]
  kEnd = 3,      // no payload: the recorder stopped in an orderly way
};

// 96 bytes, little-endian. All records of a chunk end before `ticks`, and after
// the `ticks` of the chunk before it, where they may have begun: the two
// triples interpolate their times.
struct ChunkHeader {
  uint32_t magic;
  uint16_t version;
  ChunkKind kind;
  uint32_t payload_bytes;
  uint32_t payload_crc;  // CRC-32C of the payload
  uint64_t index;        // 0, 1, 2, ... within the file
  uint64_t ticks;        // the clock triple, taken when the chunk was cut
  int64_t monotonic_ns;
  int64_t realtime_ns;
  uint64_t first_sequence;  // sequence number of the first event or slice
  uint64_t first_counter;   // async-id counter before the first record
  uint64_t dropped;         // records dropped since recording began (ring full)
  uint64_t lost_bytes;      // bytes not written since then (disk full, quota)
  uint32_t process;
  uint32_t thread;  // 0: main thread; else worker_threads' threadId
  uint32_t reserved;
  uint32_t header_crc;  // CRC-32C of the 92 bytes before it
};
static_assert(sizeof(ChunkHeader) == 96);

}  // namespace edgewise
