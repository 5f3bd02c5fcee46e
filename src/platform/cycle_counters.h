#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace edgewise {

// Instructions and cycles of one thread, as the processor counts them: by PAPI,
// which is loaded where it is installed. A program without it runs as well.
class CycleCounters {
 public:
  struct Counts {
    uint64_t instructions;
    uint64_t cycles;
  };

  // Of the calling thread, from now on. `library`: PAPI's file, for tests; by
  // default the installed one of the version that this was compiled with.
  explicit CycleCounters(const std::string& library = "");
  // On the same thread.
  ~CycleCounters();
  CycleCounters(const CycleCounters&) = delete;
  CycleCounters& operator=(const CycleCounters&) = delete;

  // Why there is nothing to read; empty: there is.
  const std::string& unavailable() const { return unavailable_; }

  // Until now, on the same thread; nullopt: unavailable, or not read this time.
  std::optional<Counts> Read();

 private:
  struct Api;

  // Empty, or why not.
  std::string Open(const std::string& library);
  std::string Start();
  std::string Explain(int error) const;

  std::unique_ptr<const Api> api_;
  int events_;  // PAPI's event set
  std::string unavailable_;
};

}  // namespace edgewise
