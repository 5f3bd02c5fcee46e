// What was waited for: on whom an event depends.

#include <string>
#include <string_view>

#include "analysis/builder/edg_builder.h"

namespace edgewise {

// What the request has waited for. Streams of one session may speak several
// protocols: gRPC beside HTTP/2.
uint32_t EdgBuilder::DependencyOf(RequestRef request) {
  if (connection_ != nullptr && connection_->multiplexed) {
    const ConnectionTable::Asker* const asker = connection_->Find(request);
    if (asker != nullptr) return asker->dependency;
  }
  return DependencyOfEvent();
}

// What the event's request has waited for.
uint32_t EdgBuilder::DependencyOfEvent() {
  if (event_dependency_.has_value()) return *event_dependency_;
  if (turn_.type != event_->type) {
    event_dependency_ = dependencies_->Intern(DependencyKind(turn_.type));
    return *event_dependency_;
  }
  const bool connects = event_->type == EventType::kConnect;
  const ConnectionTable::Connection* const connection =
      connects ? connections_.OfFd(event_->fd) : connection_;
  if (const auto process = processes_.find(event_->async_id);
      process != processes_.end()) {
    event_dependency_ = process->second;
  } else if (connection == nullptr) {
    event_dependency_ = DependencyOfWork();
  } else if (connection->role == ConnectionRole::kAccepted) {
    event_dependency_ = dependencies_->Intern("client");
  } else {
    event_dependency_ = connection->dependency;
  }
  return *event_dependency_;
}

// A child process, whose handle's callback tells of its end.
void EdgBuilder::OnProcess(const InnerRecord& record) {
  const std::string* const program = stream_->StringOf(record.text);
  if (record.type != static_cast<uint8_t>(ConnectionRole::kChild) ||
      record.async_id == 0 || program == nullptr) {
    return;
  }
  if (processes_.size() >= kMaxProcesses) processes_.clear();
  processes_[record.async_id] =
      dependencies_->InternWork(DependencyKind(EventType::kChild), *program);
}

// What was done elsewhere may say what it was about.
uint32_t EdgBuilder::DependencyOfWork() {
  const char* const kind = DependencyKind(event_->type);
  if (!event_->work.has_value()) return dependencies_->Intern(kind);
  const std::string* const about = stream_->StringOf(event_->work->text);
  const uint32_t dependency = dependencies_->InternWork(
      kind, about != nullptr ? std::string_view(*about) : std::string_view());
  if (IsPools()) dependencies_->NotePool(dependency, event_->work->threads);
  return dependency;
}

bool EdgBuilder::IsPools() const {
  return event_->work.has_value() && event_->work->place == WorkPlace::kPool;
}

}  // namespace edgewise
