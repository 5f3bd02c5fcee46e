#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "handover/kernel_layer.h"
#include "handover/perfetto_packets.h"

namespace edgewise {

// What the kernel did under a thread's events, on tracks of its own: each event
// that was seen, and in it what took long; requests to devices beside them.
class PerfettoKernel {
 public:
  struct Thread {
    uint32_t process;
    uint32_t number;
    uint64_t track;  // of its process
    std::string name;
  };

  // `tracks`: so many there are.
  PerfettoKernel(PerfettoPackets* packets, uint64_t* tracks)
      : packets_(packets), tracks_(tracks) {}

  // Nothing where nothing lies in the directory of its trace.
  void Add(const std::string& directory, const Thread& thread);

 private:
  void Take(const KernelLine& line);
  void AddEvent(const KernelLine& event);
  void AddRequest(const KernelLine& request);
  uint64_t NewTrack(const char* what);

  struct Lane {
    uint64_t track;
    int64_t free_ns;
  };
  struct Part {
    KernelLine line;
    std::string name;
  };

  PerfettoPackets* const packets_;
  uint64_t* const tracks_;
  const Thread* thread_ = nullptr;
  uint64_t track_ = 0;       // 0: none yet
  std::vector<Part> parts_;  // since the event before
  std::vector<Lane> devices_;
};

}  // namespace edgewise
