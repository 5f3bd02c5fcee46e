// The interface between a V8 that tracks events and whoever reads them: plain
// C, no V8 header, found with dlsym(RTLD_DEFAULT, "edgewise_..."). A V8 without
// event tracking has none of these symbols. Everything here belongs to one
// isolate and is used on its thread, unless it says otherwise.
//
// An event is one turn of the embedder's loop, or a part of one; its id is 1 to
// 2^31 - 1, and 0 is no event. Every function object carries the id of the
// event that created it, every promise reaction that of the event that
// registered it. Where such an object runs in another event there is an edge.

#ifndef V8_EXECUTION_EVENT_API_H_
#define V8_EXECUTION_EVENT_API_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { EDGEWISE_ABI_VERSION = 2 };

// What is tracked, as bits of EdgewiseWords::flags.
enum EdgewiseFlags {
  EDGEWISE_EDGES = 1,  // function objects and reactions that change events
  EDGEWISE_TIMES = 2,  // the exclusive time buckets
  EDGEWISE_PAUSES = 4  // a record of each garbage collection (needs TIMES)
};

// Why there is an edge.
enum EdgewiseEdgeKind {
  EDGEWISE_CLOSURE = 1,   // src created the function that dst calls
  EDGEWISE_BOUND = 2,     // src bound the function that dst calls
  EDGEWISE_REACTION = 3,  // src registered the microtask that begins dst
  EDGEWISE_RESUMED = 4,   // dst, begun by a microtask, is a part of src
  EDGEWISE_ASYNC_ID = 5   // never written here: for edges made of async ids
};

// Closure and bound edges come once for each (src, dst), as far as a small
// cache remembers; the other kinds always, and mark the begin of dst.
struct EdgewiseEdge {
  uint32_t src;
  uint32_t dst;
  uint64_t ticks;  // of edgewise_ticks
  uint32_t kind;   // EdgewiseEdgeKind
  uint32_t reserved;
};

// Where the isolate's thread spends its time; exactly one bucket is open at a
// time. COMPILE_ and GC_ buckets hold work on this thread, not the helpers'.
// IC_MISS is an estimate, since misses can be so frequent that it costs a lot
// to read the clock twice for each: some are timed, at random, and each of the
// others counts what those took on average, which edgewise_settle_misses moves
// out of REMAINDER. In a short while REMAINDER may so become less than it was.
enum EdgewiseBucket {
  EDGEWISE_REMAINDER = 0,  // JavaScript and native code
  EDGEWISE_IC_MISS,
  EDGEWISE_COMPILE_PARSE,
  EDGEWISE_COMPILE_BYTECODE,
  EDGEWISE_COMPILE_BASELINE,
  EDGEWISE_COMPILE_OPTIMIZE,
  EDGEWISE_GC_MINOR,        // scavenges
  EDGEWISE_GC_MAJOR,        // the pause of a mark-compact
  EDGEWISE_GC_INCREMENTAL,  // steps of incremental marking
  EDGEWISE_GC_SWEEP,        // lazy sweeping, and its completion
  EDGEWISE_GC_SAFEPOINT,    // waiting for other threads to stop
  EDGEWISE_GC_CALLBACKS,    // prologue, epilogue and weak callbacks
  EDGEWISE_GC_OTHER,
  EDGEWISE_BUCKETS = 16
};

// One stretch of garbage collection on the isolate's thread: a whole pause, a
// step, or a run of callbacks.
struct EdgewisePause {
  uint64_t begin_ticks;
  uint64_t end_ticks;
  uint64_t safepoint_ticks;  // of these, waiting for other threads
  uint32_t bucket;           // the EdgewiseBucket that it began with
  uint16_t collector;        // 1 + GarbageCollector; 0: a step, no collection
  uint16_t reason;  // GarbageCollectionReason, when there is a collector
};

// Called on the isolate's thread by the embedder (Node). They may set the
// current event; they may not call into V8. async_id is the resource whose
// callback runs, 0 for none; last_async_id is the last number that was given to
// a resource: an event owns the numbers that were given between its begin and
// its end, and so it is the one that registered those resources.
struct EdgewiseHooks {
  // The outermost callback scope begins and ends. continues: the rest of the
  // same turn follows in a scope of its own (the HTTP parser's callbacks).
  void (*event_begin)(void* isolate, double async_id, double last_async_id);
  void (*event_end)(void* isolate, double last_async_id, int continues);
  // A timer, immediate or tick in that scope: only after edgewise_watch_parts.
  void (*part_begin)(void* isolate, double async_id, double last_async_id);
  void (*part_end)(void* isolate, double async_id, double last_async_id);
  void* spare[4];
};

// In the isolate, where generated code reads it. Whoever sets `current` clears
// `last_source`.
struct EdgewiseWords {
  uint64_t current;         // id << EDGEWISE_ID_SHIFT
  uint64_t last_source;     // likewise: the last source seen in `current`
  uint64_t flags;           // written by edgewise_enable and _disable only
  uint32_t bucket;          // the open EdgewiseBucket
  uint32_t misses_to_next;  // IC misses until the next that is timed, and it
  uint64_t next_id;         // the next id to give: see edgewise_next_id
  struct EdgewiseTracker* tracker;     // of V8; null while nothing is tracked
  const struct EdgewiseHooks* hooks;   // the caller's; null: none
  uint64_t bucket_since;               // when `bucket` was opened, in ticks
  uint64_t buckets[EDGEWISE_BUCKETS];  // ticks, without the open stretch:
                                       // after edgewise_settle_misses
  uint64_t miss_ticks;      // what a miss takes, by those that were timed
  uint64_t misses_settled;  // what misses_to_next was at the latest settling
  uint64_t spare[6];
};

enum { EDGEWISE_ID_SHIFT = 32 };

static inline uint32_t edgewise_current(const struct EdgewiseWords* words) {
  return (uint32_t)(words->current >> EDGEWISE_ID_SHIFT);
}

static inline void edgewise_set_current(struct EdgewiseWords* words,
                                        uint32_t id) {
  words->current = (uint64_t)id << EDGEWISE_ID_SHIFT;
  words->last_source = 0;
}

// An id that was not given before: they start again at 1 after 2^31 - 1.
static inline uint32_t edgewise_next_id(struct EdgewiseWords* words) {
  uint32_t id = (uint32_t)words->next_id;
  words->next_id = id == 0x7fffffff ? 1 : id + 1;
  return id;
}

// Moves what the misses since the last time took into their bucket. A miss that
// is not timed only counts down, in the words that it reads anyway: an event
// may have a hundred, each of which would find `buckets` out of the cache.
static inline void edgewise_settle_misses(struct EdgewiseWords* words) {
  uint32_t misses = (uint32_t)words->misses_settled - words->misses_to_next;
  words->buckets[EDGEWISE_IC_MISS] += misses * words->miss_ticks;
  words->buckets[EDGEWISE_REMAINDER] -= misses * words->miss_ticks;
  words->misses_settled = words->misses_to_next;
}

#if defined(__GNUC__)
#define EDGEWISE_EXPORT __attribute__((visibility("default")))
#else
#define EDGEWISE_EXPORT
#endif

// Compare it with EDGEWISE_ABI_VERSION before anything else is called.
EDGEWISE_EXPORT uint32_t edgewise_abi_version(void);

// The clock of all ticks, from any thread: the time stamp counter, else ns.
EDGEWISE_EXPORT uint64_t edgewise_ticks(void);

// The words of a v8::Isolate: never null, valid as long as the isolate.
EDGEWISE_EXPORT struct EdgewiseWords* edgewise_words(void* isolate);

// Starts to track EdgewiseFlags, with rings for at least so many edges and
// pauses. Code that was optimized without tracking is thrown away. 0, or a
// negative errno: -EBUSY while a snapshot is made or when already enabled,
// -EINVAL for flags that are none.
EDGEWISE_EXPORT int edgewise_enable(void* isolate, uint32_t flags,
                                    uint32_t edges, uint32_t pauses);

// Stops: no event is current, the hooks are forgotten, the rings freed.
EDGEWISE_EXPORT void edgewise_disable(void* isolate);

// Moves the oldest records out of a ring and says how many. One thread at a
// time, any thread between enable and disable.
EDGEWISE_EXPORT size_t edgewise_take_edges(struct EdgewiseTracker* tracker,
                                           struct EdgewiseEdge* out,
                                           size_t count);
EDGEWISE_EXPORT size_t edgewise_take_pauses(struct EdgewiseTracker* tracker,
                                            struct EdgewisePause* out,
                                            size_t count);

// How many records found a ring full and were lost, since enable.
EDGEWISE_EXPORT uint64_t
edgewise_dropped(const struct EdgewiseTracker* tracker);

// Defined by Node: whether part_begin and part_end are called. The isolate must
// have entered a context of Node's.
EDGEWISE_EXPORT void edgewise_watch_parts(void* isolate, int on);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // V8_EXECUTION_EVENT_API_H_
