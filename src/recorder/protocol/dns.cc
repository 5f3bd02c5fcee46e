// DNS: the type that is asked for, never the name.

#include <cstddef>

#include "recorder/protocol/families.h"

namespace edgewise {
namespace {

constexpr size_t kMaxName = 255;
constexpr uint16_t kFlagsThatAQuestionLacks = 0xf800;  // answer, operation

struct Type {
  uint16_t number;
  const char* name;
};
constexpr Type kTypes[] = {
    {1, "A"},     {2, "NS"},      {5, "CNAME"}, {6, "SOA"},   {12, "PTR"},
    {15, "MX"},   {16, "TXT"},    {28, "AAAA"}, {33, "SRV"},  {35, "NAPTR"},
    {43, "DS"},   {48, "DNSKEY"}, {52, "TLSA"}, {64, "SVCB"}, {65, "HTTPS"},
    {255, "ANY"}, {257, "CAA"},
};

// Whether a question stands at the cursor; its type then.
bool TakeQuestion(Cursor& cursor, uint16_t* type) {
  cursor.Skip(2);
  cursor.DecidedFrom(cursor.position());
  if ((cursor.U16() & kFlagsThatAQuestionLacks) != 0) return false;
  if (cursor.U16() != 1 || cursor.U32() != 0 || cursor.U16() > 2) return false;
  size_t name = 0;
  while (const uint8_t label = cursor.U8()) {
    name += label + 1U;
    if (label > 63 || name > kMaxName) return false;
    cursor.Skip(label);
  }
  *type = cursor.U16();
  const uint16_t net = cursor.U16() & 0x7fff;
  return !cursor.ended() && net == 1;
}

// Over a stream each message has its length before it.
bool TakeLength(Cursor& cursor, bool datagram) {
  return datagram || cursor.U16() == cursor.left();
}

}  // namespace

bool LooksLikeDns(Cursor cursor, bool datagram) {
  uint16_t type;
  return TakeLength(cursor, datagram) && TakeQuestion(cursor, &type);
}

void NameDns(Inquiry& question) {
  uint16_t type;
  if (!TakeLength(question.cursor, question.Has(kDatagram)) ||
      !TakeQuestion(question.cursor, &type)) {
    return;
  }
  question.operation->Assign("other");
  for (const Type& known : kTypes) {
    if (known.number == type) question.operation->Assign(known.name);
  }
}

}  // namespace edgewise
