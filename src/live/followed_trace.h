#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trace/chunk.h"
#include "trace/reader.h"

namespace edgewise {

// A trace that its recorder still writes, as bytes that go on: the chunks of
// the file, and in flight mode those that its thread holds beside it
// (recorder/held_chunks.h), each once, in the order of their numbers. Holds one
// chunk. What is asked for once it was dropped, or is not written yet, is not
// there; size() waits for more when all that there is was read. So a
// ChunkReader goes on until the recorder has ended, or Close().
class FollowedTrace : public ByteSource {
 public:
  static constexpr int kPollMs = 50;

  // NotFound or PermissionDenied name the path.
  static absl::StatusOr<std::unique_ptr<FollowedTrace>> Open(
      const std::string& path);
  ~FollowedTrace() override;
  FollowedTrace(const FollowedTrace&) = delete;
  FollowedTrace& operator=(const FollowedTrace&) = delete;

  // Nothing more is waited for; from any thread.
  void Close();

  // ByteSource: for one thread.
  uint64_t size() override;
  size_t ReadAt(uint64_t offset, void* buffer, size_t size) override;

 private:
  // A file that grows, is cut back, or is another one under the same name.
  class GrowingFile {
   public:
    explicit GrowingFile(std::string path) : path_(std::move(path)) {}
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;
    ~GrowingFile();

    // False, with errno: it cannot be opened.
    bool Open();
    // Once all of it was passed, opens what bears its name now, if that is
    // another file, and looks there.
    bool PeekAnew(uint64_t next, ChunkHeader* header);
    // The next whole chunk that is numbered `next` or later, or begins the
    // recording anew; passes those before it. False: none is there yet.
    bool Peek(uint64_t next, ChunkHeader* header);
    // Takes the chunk that Peek() has found. False: it is gone meanwhile.
    bool Take(const ChunkHeader& header, std::string* bytes);

   private:
    bool ReadWhole(uint64_t offset, ChunkHeader* header) const;

    std::string path_;
    int fd_ = -1;
    uint64_t inode_ = 0;
    uint64_t position_ = 0;  // all chunks before it were read
    uint64_t found_ = 0;     // where the one lies that Peek() has found
  };

  explicit FollowedTrace(const std::string& path);

  bool FetchNext();
  bool TakeFrom(GrowingFile* file, const ChunkHeader& header);

  GrowingFile trace_;
  std::array<GrowingFile, 2> held_;
  uint64_t next_ = 0;   // number of the chunk that follows
  bool ended_ = false;  // the last one says so
  std::string window_;  // the last chunk
  uint64_t begin_ = 0;  // its offset
  uint64_t read_to_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;  // under mutex_
};

}  // namespace edgewise
