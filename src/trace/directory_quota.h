#pragma once

#include <cstdint>
#include <string>

namespace edgewise {

// What the files of one trace directory may take together: all threads and
// processes that write there, and what lay there before.
//
// Each writer takes room in steps, by as many bytes at the end of one hidden
// file, the ledger: the kernel appends them in some order, and the offset at
// which its own ended tells a writer what all have taken. That needs no lock
// that a stopped process could hold, and no shared memory, which a full disk or
// a truncated file would make a fault of; a killed writer has taken what it
// has. Who finds nobody else at the ledger counts anew what lies in the
// directory (flock(2), never waited for); the last one removes it.
//
// Where there can be no ledger, each writer keeps to the quota by itself.
// One thread.
class DirectoryQuota {
 public:
  // No bound.
  DirectoryQuota() = default;
  DirectoryQuota(const std::string& directory, uint64_t max_bytes);
  ~DirectoryQuota();
  DirectoryQuota(DirectoryQuota&& other) noexcept;
  DirectoryQuota& operator=(DirectoryQuota&&) = delete;

  // Takes room for so many bytes; false: there is not so much left.
  bool Take(uint64_t bytes);

  uint64_t max_bytes() const { return max_bytes_; }

 private:
  void Open(const std::string& directory);
  bool CountAnew(const std::string& directory);
  bool Append(uint64_t steps);

  uint64_t max_bytes_ = UINT64_MAX / 2;
  uint64_t step_ = 0;
  uint64_t taken_ = 0;  // by this writer
  uint64_t used_ = 0;   // of that
  std::string ledger_;
  int fd_ = -1;  // -1: there is no ledger
};

// A thread could not be recorded at all, for want of room: counted beside the
// ledger, for reports. Bounded.
void NoteUnrecordedThread(const std::string& directory);
uint64_t UnrecordedThreads(const std::string& directory);

}  // namespace edgewise
