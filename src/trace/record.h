#pragma once

#include <cstddef>
#include <cstdint>

// The records of a trace: what the recorder writes and the analysis reads.
//
// Every record is 32 bytes, little-endian, written once. Times are raw clock
// ticks (platform/clock.h); each chunk carries the (ticks, CLOCK_MONOTONIC,
// CLOCK_REALTIME) triple that turns them into nanoseconds. The byte layout is
// documented in docs/trace-format.md; change both together.

namespace edgewise {

enum class RecordKind : uint8_t {
  kNone = 0,
  kEvent = 1,  // one turn of the event loop's callback; written at its end
  kSlice = 2,  // a continuation that begins inside an event (promises)
  kGc = 3,     // one garbage collection pause; written at its end
  kRequestStart = 4,   // the current event is a request's source
  kRequestEnd = 5,     // the current event is a request's sink
  kString = 6,         // a string-table entry; its bytes fill the next slots
  kLoss = 7,           // records dropped because the ring was full
  kEdge = 8,           // a function of another slice is called (patched Node)
  kTimes = 9,          // JIT and inline-cache time (patched Node)
  kConnection = 10,    // a connection is accepted or opened
  kUse = 11,           // something is done with it
  kArrival = 12,       // an event's bytes came in parts: when the last one did
  kWork = 13,          // an event is the end of work that was done elsewhere
  kOffCpu = 14,        // the thread did not run
  kQuota = 15,         // how often the control group was stopped
  kFaults = 16,        // page faults of the thread
  kSample = 17,        // which JavaScript function ran
  kWritten = 20,       // when the request that ends next was written
  kHeap = 21,          // what a collection has found and left on the heap
  kTraceContext = 22,  // who a request's caller says that it is
  kAddress = 23,       // where one end of a connection is
};

// What woke the event loop. VEE'19 table 2, and what Node has besides.
enum class EventType : uint8_t {
  kUnknown = 0,
  kMain = 1,      // the main script, before the loop turns
  kAccept = 2,    // a listening socket had a connection
  kTcpRead = 3,   // a TCP stream had bytes
  kPipeRead = 4,  // a pipe or Unix socket had bytes (also IPC)
  kUdpRead = 5,   // a datagram arrived
  kWrite = 6,     // a write or connect request completed on a stream
  kFsRead = 7,    // file system, by operation
  kFsReaddir = 8,
  kFsStat = 9,
  kFsOpen = 10,
  kFsWrite = 11,
  kFsClose = 12,
  kFsOther = 13,
  kDns = 14,         // getaddrinfo / getnameinfo / c-ares
  kThreadPool = 15,  // crypto, zlib, addons: uv_queue_work
  kSignal = 16,
  kChild = 17,      // a child process ended
  kTimer = 18,      // all timers due in one pass
  kImmediate = 19,  // all immediates of one pass
  kMessage = 20,    // worker message port, or a task from another thread
  kClose = 21,      // a handle's close callback
  kPoll = 22,       // uv_poll: a descriptor watched for a library
  kFsEvent = 23,    // inotify
  kCustom = 24,     // edgewise.request()
  kConnect = 25,    // a connection that was opened is established, or is not
  kMaxValue = kConnect,
};

// How an event's ready time is known.
enum class ReadyKind : uint8_t {
  kNone = 0,        // unknown: no ready time
  kObserved = 1,    // seen by the watcher, or the loop slept until it came
  kDue = 2,         // a timer's due time; an immediate's registration
  kResolved = 3,    // the promise was resolved
  kCompleted = 4,   // stamped by the (patched) thread pool
  kUpperBound = 5,  // it was ready at this time, perhaps earlier
  kLowerBound = 6,  // ... perhaps later
  kMaxValue = kLowerBound,
};

enum class GcType : uint8_t {
  kScavenge = 0,
  kMinorMarkSweep = 1,
  kMarkSweepCompact = 2,
  kIncrementalMarking = 3,
  kWeakCallbacks = 4,
  kSweeping = 5,  // lazy, where memory is allocated, or to complete it
  kOther = 6,
  kMaxValue = kOther,
};

// Why a called function belongs to another slice.
enum class EdgeKind : uint8_t {
  kClosure = 0,  // created there
  kBound = 1,    // bound there
  kMaxValue = kBound,
};

// Which end of a connection this process has.
enum class ConnectionRole : uint8_t {
  kAccepted = 0,
  kOpened = 1,
  kChild = 2,  // a pipe to a child process, or that process itself
  kMaxValue = kChild,
};

// Of a connection.
enum class AddressSide : uint8_t {
  kOwn = 0,
  kPeer = 1,
  kMaxValue = kPeer,
};

enum class UseKind : uint8_t {
  // The first write since bytes were read of it, or by this slice: a question
  // leaves.
  kQuestion = 0,
  kClosed = 1,
  kMeasured = 2,  // what TCP knows of an opened one when it ends
  kStream = 3,    // the question that follows is of a stream of HTTP/2
  kContext = 4,   // a question has named itself in a header
  kWaits = 5,     // something is asked for whose question comes later
  kAskedFor = 6,  // the question that follows is what has waited
  kMaxValue = kAskedFor,
};

// Who does the work whose end is an event.
enum class WorkPlace : uint8_t {
  kPool = 0,  // libuv's threads
  kRing = 1,  // the kernel, through io_uring
  kMaxValue = kRing,
};

// Why the thread did not run.
enum class OffCpuKind : uint8_t {
  kPreempted = 0,  // another had the processor
  kThrottled = 1,  // its control group had used up its quota
  kFault = 2,      // a page was brought from a disk
  kBlocked = 3,    // it slept in the kernel: a disk, a lock
  kMaxValue = kBlocked,
};

enum class RequestKind : uint8_t {
  kHttp1 = 0,
  kHttp2 = 1,
  kCustom = 2,
  kMaxValue = kCustom,
};

enum class Outcome : uint8_t {
  kFinished = 0,  // the response was handed to the kernel
  kAborted = 1,   // the connection closed first
  kFailed = 2,    // edgewise.request(): the function threw or rejected
  kMaxValue = kFailed,
};

// One 32-byte record. Fields mean different things by `kind`; use the named
// accessors below. Async ids and the id counter are 40-bit: they may pass 2^32
// within hours, and 2^40 only after weeks at a million a second.
struct Record {
  uint64_t ticks;       // kEvent, kSlice, kGc: begin; requests, loss: the time
  float duration;       // kEvent, kGc: ticks from begin to end
  float ready_before;   // kEvent: ticks from ready to begin (>= 0)
  uint32_t id_lo;       // async id (kEvent: the resource; requests: executing)
  uint32_t counter_lo;  // async-id counter: ids up to it exist by now
  uint8_t id_hi;
  uint8_t counter_hi;
  RecordKind kind;
  uint8_t type;  // EventType, GcType, RequestKind, Outcome or EdgeKind
  uint32_t aux;  // see below
};
static_assert(sizeof(Record) == 32);

inline constexpr size_t kRecordBytes = sizeof(Record);
inline constexpr uint64_t kIdMask = (uint64_t{1} << 40) - 1;
inline constexpr int32_t kNoFd = -1;
inline constexpr uint32_t kUnknownOffset = UINT32_MAX;

// `aux` of kEvent: ready kind in the low 4 bits, then flags, then the fd + 1.
inline constexpr uint32_t kReadyKindMask = 0xF;
inline constexpr uint32_t kFlagNewConnection =
    0x10;  // first read of its socket
inline constexpr uint32_t kFlagLoopSlept =
    0x20;  // in the wait before it: it had to be woken
inline constexpr uint32_t kFdShift = 8;

inline uint64_t AsyncId(const Record& r) {
  return uint64_t{r.id_hi} << 32 | r.id_lo;
}
inline uint64_t IdCounter(const Record& r) {
  return uint64_t{r.counter_hi} << 32 | r.counter_lo;
}
inline void SetIds(Record& r, uint64_t async_id, uint64_t counter) {
  r.id_lo = static_cast<uint32_t>(async_id);
  r.id_hi = static_cast<uint8_t>(async_id >> 32);
  r.counter_lo = static_cast<uint32_t>(counter);
  r.counter_hi = static_cast<uint8_t>(counter >> 32);
}
inline ReadyKind ReadyKindOf(const Record& event) {
  return static_cast<ReadyKind>(event.aux & kReadyKindMask);
}
inline int32_t FdOf(const Record& event) {
  return static_cast<int32_t>(event.aux >> kFdShift) - 1;
}
inline uint32_t EventAux(ReadyKind ready, int32_t fd, uint32_t flags) {
  return static_cast<uint32_t>(ready) | flags |
         static_cast<uint32_t>(fd + 1) << kFdShift;
}

// Meaning of the shared fields, by kind:
//
// kEvent  ticks, duration, ready_before, async id, counter (at the end),
//         type = EventType, aux = EventAux().
//         The event registered the ids in (previous event's counter, counter].
//         Each event and each slice takes the next sequence number of its
//         thread: an event with n slices written before it has number s, its
//         slices s+1 .. s+n. A chunk names the first number it uses.
// kSlice  ticks = begin; counter at the begin; aux = distance back to the
//         sequence number that registered the continuation: source = own
//         number - aux. With aux 0 the slice was registered as async id
//         (a tick, timer or immediate inside the event) if that is not 0, and
//         is unknown otherwise. Of a timer's, `ready_before` = ticks from its
//         due time to the begin, 0: not known. A slice ends where the next
//         slice or the event ends. Written before its event.
// kGc     ticks, duration, type = GcType, aux = nesting depth (0: outermost).
//         Written before the event it interrupts (or between events). A patched
//         Node says more: id = V8's reason (of a collection), `ready_before` =
//         ticks of it that other threads took to stop.
// kRequestStart  ticks, async id executing, counter, type = RequestKind,
//         aux = request id (unique within the thread). Of its connection,
//         before what was read in this event: `duration` holds the bytes
//         received and `ready_before` those sent, both as uint32 bits modulo
//         2^32; kUnknownOffset: not known. kHttp2: `duration` holds the number
//         of its stream, 0: not known.
// kRequestEnd    ticks, async id executing, counter, type = Outcome,
//         aux = request id; `duration` holds the route's string id and
//         `ready_before` the status code, both as uint32 bits.
// kString aux = string id, id_lo = byte length; ceil(length / 32) raw slots
//         of UTF-8 follow. Written before the first use of the id.
// kLoss   ticks = begin of the event that ended when there was room again,
//         aux = records dropped, that event's among them;
//         id/counter words: async id = next sequence number.
// kEdge   ticks; counter then; type = EdgeKind; aux = distance from the running
//         slice's sequence number back to that of the function's slice.
// kTimes  since the record of this kind before it in the event, else since the
//         event's begin, on this thread: `duration` ticks of compilation,
//         `ready_before` ticks of inline-cache misses; neither holds GC.
// kConnection  ticks, async id executing, counter, type = ConnectionRole,
//         aux = the connection's number (unique within the thread, not 0);
//         `duration` holds its descriptor and `ready_before` the string id of
//         its peer (0: unknown), both as uint32 bits. What had the descriptor
//         before is gone. kChild: `ready_before` names the program; without a
//         descriptor (-1) it is the process, and the async id its handle's.
// kUse    ticks, async id executing, counter, type = UseKind, aux = the
//         connection's number. kQuestion: `duration` holds the bytes written so
//         far, that write's among them, modulo 2^32, and `ready_before` the
//         string id of what is asked (0: unknown), both as uint32 bits.
//         kMeasured: `duration` holds how many segments were sent again, and
//         `ready_before` the smoothed round-trip time, us. kStream: `duration`
//         holds the stream's number, and the async id is its own; 0: not known;
//         `ready_before` which wait it has ended, as a number; 0: none.
//         kWaits: `duration` holds the wait's number; no connection. kAskedFor:
//         of the question that follows, likewise, of a connection.
//         kContext: of the question before it, or where none waits of the next:
//         both hold TraceContext::Key(), the lower half first.
//         These four kinds may also lie between events.
// kArrival  ticks; `ready_before` ticks before that the last part came. The
//         event's own ready time is the first part's.
// kWork   ticks = the event's begin; type = WorkPlace. `ready_before` = ticks
//         before that a thread of the pool took it up, 0: not known; `duration`
//         holds the string id of what it is about (0: unknown), as uint32 bits;
//         aux = the pool's threads, as far as seen (0: unknown). It was done
//         when the event was ready.
// kOffCpu  ticks, duration, type = OffCpuKind, aux = so many switches before it
//         the kernel had no room to tell of. Written before the event in which,
//         or before which, it was; not in order with that one's other records.
//         The loop's own wait is none.
// kQuota  since the recording began, of all groups with a quota that the
//         process is in: aux = periods, async id = those in which one was
//         stopped, `duration` ticks for which they were, over processors.
// kFaults  since the recording began, of the thread, where an event has been
//         long: aux = minor ones modulo 2^32, async id = major ones.
// kSample  ticks = when it was asked for, or looked at again in native code;
//         until `duration` ticks later, when it answered or was looked at once
//         more, ran the stack (a string id; 0: it could not be told) in aux.
//         Nothing was asked for `ready_before` ticks before. Counter = the
//         string id of a program or library ("PATH\nBUILD") that was called
//         natively, 0: none was seen; async id = where in it. Written before
//         its event; not in order with that one's other records.
// kWritten  of the kRequestEnd that follows: ticks = the last write of its
//         response, in this event or an earlier one. What ran then: `duration`
//         ticks since its begin, `ready_before` ticks from ready to begin, type
//         = EventType, aux = EventAux(), async id executing. A kRequestEnd
//         without it happened at its own ticks.
// kHeap   of the outermost collection (kGc) in which `ticks` lies; that record
//         may stand before or after it. `duration`: bytes of young objects
//         before it, `ready_before` after it, both as uint32 bits; id: bytes of
//         all others before it, counter: after it; aux: KiB that young objects
//         may take. May also lie between events.
// kTraceContext  of the request aux, which may start later in the event: what
//         its header `traceparent` or `x-request-id` says
//         (trace/trace_context.h). ticks: the trace-id's first 8 bytes;
//         `duration`, `ready_before`: the other 8, as uint32 bits; id_lo,
//         counter_lo: the parent-id, 0: ticks is a hash; type = the flags.
// kAddress  of the connection aux, after its kConnection: type = AddressSide;
//         ticks, `duration` and `ready_before`: the 16 bytes of its IPv6
//         address, or of ::ffff:a.b.c.d; id_lo = its port
//         (trace/socket_address.h).

inline constexpr uint32_t StringSlots(uint32_t bytes) {
  return (bytes + kRecordBytes - 1) / kRecordBytes;
}

}  // namespace edgewise
