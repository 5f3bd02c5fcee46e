// MongoDB: OP_MSG, and OP_QUERY for the first question of a connection.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "recorder/protocol/families.h"
#include "recorder/protocol/fold.h"

namespace edgewise {
namespace {

constexpr uint32_t kReply = 1;
constexpr uint32_t kOpQuery = 2004;
constexpr uint32_t kCompressed = 2012;
constexpr uint32_t kMessage = 2013;
constexpr uint32_t kLongestDocument = 64U << 20;

constexpr uint8_t kString = 0x02;
constexpr uint8_t kInt64 = 0x12;

// Sorted. With a collection as their value:
constexpr std::string_view kOnCollections[] = {
    "aggregate", "collMod",       "collStats",     "compact",
    "count",     "create",        "createIndexes", "createSearchIndexes",
    "delete",    "distinct",      "drop",          "dropIndexes",
    "find",      "findAndModify", "findandmodify", "geoSearch",
    "insert",    "killCursors",   "listIndexes",   "mapReduce",
    "mapreduce", "reIndex",       "update",        "validate",
};
constexpr std::string_view kOthers[] = {
    "abortTransaction",
    "authenticate",
    "buildInfo",
    "buildinfo",
    "bulkWrite",
    "commitTransaction",
    "connPoolStats",
    "connectionStatus",
    "currentOp",
    "dbStats",
    "dbstats",
    "dropDatabase",
    "endSessions",
    "explain",
    "fsync",
    "getLastError",
    "getLog",
    "getMore",
    "getParameter",
    "getlasterror",
    "getnonce",
    "hello",
    "hostInfo",
    "isMaster",
    "ismaster",
    "killAllSessions",
    "killOp",
    "killSessions",
    "listCollections",
    "listCommands",
    "listDatabases",
    "logout",
    "ping",
    "profile",
    "refreshSessions",
    "renameCollection",
    "replSetGetStatus",
    "saslContinue",
    "saslStart",
    "serverStatus",
    "setParameter",
    "startSession",
    "top",
    "usersInfo",
    "whatsmyuri",
};

template <size_t N>
bool Has(const std::string_view (&sorted)[N], std::string_view name) {
  return std::binary_search(std::begin(sorted), std::end(sorted), name);
}

// A string's text without its NUL; empty if it is not whole.
std::string_view TakeString(Cursor& cursor) {
  const uint32_t length = cursor.Little32();
  if (length == 0 || length > cursor.left()) return {};
  std::string_view text = cursor.Bytes(length);
  text.remove_suffix(1);
  return text;
}

void AppendCollection(std::string_view collection, OperationText* operation) {
  if (collection.empty()) return;
  operation->Append(' ');
  AppendFoldedName(collection, operation);
}

// By the first element of the document at the cursor.
void NameByDocument(Cursor& cursor, OperationText* operation) {
  cursor.Skip(4);
  const uint8_t type = cursor.U8();
  const std::string_view command = cursor.Until(0);
  const bool on_collection = Has(kOnCollections, command);
  if (!on_collection && !Has(kOthers, command)) {
    return operation->Assign(cursor.ended() ? "" : "other");
  }
  operation->Assign(command);
  if (on_collection && type == kString) {
    AppendCollection(TakeString(cursor), operation);
  } else if (command == "getMore" && type == kInt64) {
    cursor.Skip(8);
    if (cursor.U8() == kString && cursor.Until(0) == "collection") {
      AppendCollection(TakeString(cursor), operation);
    }
  }
}

bool IsOperation(uint32_t operation) {
  return operation == kMessage || operation == kOpQuery ||
         operation == kCompressed || operation == kReply;
}

}  // namespace

bool LooksLikeMongodb(Cursor cursor) {
  const uint32_t length = cursor.Little32();
  cursor.Skip(8);
  const uint32_t operation = cursor.Little32();
  return !cursor.ended() && length > 16 && length <= kLongestDocument &&
         IsOperation(operation);
}

void NameMongodb(Inquiry& question) {
  Cursor& cursor = question.cursor;
  if (!LooksLikeMongodb(cursor)) {
    question.keep = true;  // the rest of a long question
    return;
  }
  // Neither the lengths nor the question's number.
  cursor.Skip(12);
  cursor.DecidedFrom(cursor.position());
  const uint32_t operation = cursor.Little32();
  if (operation == kOpQuery) {
    cursor.Skip(4);
    cursor.Until(0);  // the collection: that of commands
    cursor.Skip(8);
    return NameByDocument(cursor, question.operation);
  }
  if (operation == kMessage) {
    cursor.Skip(4);
    // Section 0 holds the command; drivers send it first.
    if (cursor.U8() == 0) NameByDocument(cursor, question.operation);
    return;
  }
  question.operation->Assign("(compressed)");
}

}  // namespace edgewise
