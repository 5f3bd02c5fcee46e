#include "analysis/stream/watched_traces.h"

#include <utility>

namespace edgewise {
namespace {

class WatchedSource : public ByteSource {
 public:
  // Its first byte is at `from` of the work, each is `per_byte` of it.
  WatchedSource(std::unique_ptr<ByteSource> source, double from,
                double per_byte, AnalysisProgress* progress)
      : source_(std::move(source)),
        from_(from),
        per_byte_(per_byte),
        progress_(progress) {}

  uint64_t size() override { return source_->size(); }
  size_t ReadAt(uint64_t offset, void* buffer, size_t size) override {
    if (progress_->cancelled()) return 0;
    const size_t read = source_->ReadAt(offset, buffer, size);
    progress_->Reach(from_ + per_byte_ * static_cast<double>(offset + read));
    return read;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  const double from_;
  const double per_byte_;
  AnalysisProgress* progress_;
};

}  // namespace

WatchedTraces::WatchedTraces(TraceSet* traces, AnalysisProgress* progress)
    : traces_(traces), progress_(progress) {
  for (size_t i = 0; i < traces->size(); ++i) bytes_ += traces->Bytes(i);
}

void WatchedTraces::BeginPass(double from, double to) {
  per_byte_ = bytes_ > 0 ? (to - from) / static_cast<double>(bytes_) : 0;
  opened_ = from;
  progress_->Reach(from);
}

absl::StatusOr<std::unique_ptr<ByteSource>> WatchedTraces::Open(size_t i) {
  auto source = traces_->Open(i);
  if (!source.ok()) return source;
  const double from = opened_;
  opened_ += per_byte_ * static_cast<double>((*source)->size());
  return std::make_unique<WatchedSource>(*std::move(source), from, per_byte_,
                                         progress_);
}

}  // namespace edgewise
