// AMQP 0-9-1 (RabbitMQ), and 1.0.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "recorder/protocol/families.h"

namespace edgewise {
namespace {

constexpr uint8_t kMethodFrame = 1;
constexpr uint8_t kHeartbeatFrame = 8;
constexpr uint8_t kFrameEnd = 0xce;

struct Class {
  uint16_t number;
  std::string_view name;
};
constexpr Class kAmqpClasses[] = {
    {10, "Connection"}, {20, "Channel"}, {40, "Exchange"}, {50, "Queue"},
    {60, "Basic"},      {85, "Confirm"}, {90, "Tx"},
};
struct Method {
  uint16_t of_class;
  uint16_t number;
  std::string_view name;
};
constexpr Method kAmqpMethods[] = {
    {60, 40, "Publish"},  {60, 80, "Ack"},      {60, 70, "Get"},
    {60, 20, "Consume"},  {60, 10, "Qos"},      {60, 30, "Cancel"},
    {60, 31, "CancelOk"}, {60, 90, "Reject"},   {60, 100, "RecoverAsync"},
    {60, 110, "Recover"}, {60, 120, "Nack"},    {10, 10, "Start"},
    {10, 11, "StartOk"},  {10, 21, "SecureOk"}, {10, 31, "TuneOk"},
    {10, 40, "Open"},     {10, 50, "Close"},    {10, 51, "CloseOk"},
    {20, 10, "Open"},     {20, 20, "Flow"},     {20, 21, "FlowOk"},
    {20, 40, "Close"},    {20, 41, "CloseOk"},  {40, 10, "Declare"},
    {40, 20, "Delete"},   {40, 30, "Bind"},     {40, 40, "Unbind"},
    {50, 10, "Declare"},  {50, 20, "Bind"},     {50, 30, "Purge"},
    {50, 40, "Delete"},   {50, 50, "Unbind"},   {85, 10, "Select"},
    {90, 10, "Select"},   {90, 20, "Commit"},   {90, 30, "Rollback"},
};
// 1.0: by the descriptor's code, from 0x10 on.
constexpr std::string_view kPerformatives[] = {
    "Open",        "Begin",  "Attach", "Flow",  "Transfer",
    "Disposition", "Detach", "End",    "Close",
};
// And of its SASL frames, from 0x40 on.
constexpr size_t kSaslCodes = 5;

bool TakeMethod(Cursor& cursor, OperationText* operation) {
  const uint16_t of_class = cursor.U16();
  const uint16_t number = cursor.U16();
  if (cursor.ended()) return false;
  for (const Class& known : kAmqpClasses) {
    if (known.number != of_class) continue;
    operation->Assign(known.name);
    for (const Method& method : kAmqpMethods) {
      if (method.of_class != of_class || method.number != number) continue;
      operation->Append('.');
      operation->Append(method.name);
      return true;
    }
  }
  operation->Assign("other");
  return true;
}

// A frame of 1.0: its size, the offset of its body, its type, a channel; the
// body begins with a described type's code.
bool TakePerformative(Cursor& cursor, OperationText* operation) {
  const uint32_t size = cursor.U32();
  const uint8_t offset = cursor.U8();
  const uint8_t type = cursor.U8();
  if (size == 8 && offset == 2 && type == 0) {
    operation->Assign("heartbeat");
    return true;
  }
  if (size < 8 || offset < 2 || type > 1) return false;
  cursor.Skip(2 + (offset - 2U) * 4);
  if (cursor.U8() != 0 || cursor.U8() != 0x53) return false;
  const uint8_t code = cursor.U8();
  if (cursor.ended()) return false;
  if (type == 1) {
    if (code < 0x40 || code >= 0x40 + kSaslCodes) return false;
    operation->Assign("authentication");
    return true;
  }
  if (code < 0x10 || code >= 0x10 + std::size(kPerformatives)) return false;
  operation->Assign(kPerformatives[code - 0x10]);
  return true;
}

}  // namespace

bool LooksLikeAmqp(Cursor cursor) {
  if (!cursor.Take("AMQP")) return false;
  const uint8_t id = cursor.U8();
  const uint8_t major = cursor.U8();
  return !cursor.ended() && id <= 3 && major <= 1;
}

// The server's first word: Connection.Start on channel 0.
bool LooksLikeAmqpStart(Cursor cursor) {
  const uint8_t type = cursor.U8();
  const uint16_t channel = cursor.U16();
  cursor.Skip(4);
  const uint32_t method = cursor.U32();
  return type == kMethodFrame && channel == 0 && method == (10U << 16 | 10U);
}

void NameAmqp(Inquiry& question) {
  Cursor& cursor = question.cursor;
  if (LooksLikeAmqp(cursor)) {
    cursor.Skip(8);
    question.operation->Assign("connect");
    return;
  }
  Cursor modern = cursor;
  if (cursor.Peek() == 0 && TakePerformative(modern, question.operation)) {
    cursor = modern;
    return;
  }
  // Heartbeats may go before what is asked.
  bool heartbeat = false;
  while (true) {
    const uint8_t type = cursor.U8();
    cursor.Skip(2);
    const uint32_t size = cursor.U32();
    if (cursor.ended()) break;
    if (type == kMethodFrame && size >= 4) {
      if (TakeMethod(cursor, question.operation)) return;
      break;
    }
    if (type != kHeartbeatFrame || size != 0 || cursor.U8() != kFrameEnd) break;
    heartbeat = true;
    if (cursor.left() == 0) break;
  }
  if (heartbeat) return question.operation->Assign("heartbeat");
  question.keep = true;  // the rest of a message
}

}  // namespace edgewise
