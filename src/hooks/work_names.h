#pragma once

#include <uv.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "hooks/node_job.h"
#include "recorder/file_places.h"
#include "recorder/host_names.h"

namespace edgewise {

// Names what the pool's requests are about: where a file lies. And learns from
// them which names have which addresses. Loop thread only.
class WorkNames {
 public:
  // `hosts` outlives this.
  WorkNames(Recorder* recorder, bool whole_paths, HostNames* hosts);

  // The string id of where the file of a request lies that has finished and not
  // called back yet; 0: not known.
  uint32_t NameOf(const uv_fs_t* request);

  // The loop is about to close it itself.
  void Closed(int fd);

  // The string id of what a job is about: where its file lies, its kind, or the
  // addon whose it is; 0: not known.
  uint32_t NameOfJob(const NodeJob& job);

  // A name was resolved.
  void Learn(const uv_getaddrinfo_t* request);

 private:
  // What a descriptor is open on, while no file is opened anew that has its
  // number.
  struct OpenFile {
    uint32_t opened = 0;  // OpenedTimes()
    uint32_t name = 0;    // 0: not known
  };
  static constexpr int kMaxFds = 1 << 16;

  uint32_t NameOfFd(int fd);
  uint32_t NameOfClosed(int fd);
  void NoteOpened(int fd, uint32_t name);
  uint32_t NameOfDirectory(const uv_dir_t* directory);

  Recorder* const recorder_;
  FilePlaces places_;
  HostNames* const hosts_;
  // Zero pages until touched.
  struct Free {
    void operator()(OpenFile* files) const;
  };
  std::unique_ptr<OpenFile[], Free> by_fd_;
  absl::flat_hash_map<const void*, uint32_t> jobs_;  // by NodeJob::key()
};

// A file was opened with this number, by any thread: what is known of the
// number is another file's.
void NoteFileOpened(int fd);

}  // namespace edgewise
