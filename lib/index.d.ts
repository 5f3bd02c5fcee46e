/** What `start` takes; each defaults to its EDGEWISE_* variable (docs/environment.md has what is allowed). */
export interface Options {
  /** Directory of the trace. */
  out?: string
  mode?: 'stream' | 'flight'
  /** Quota in MiB: on disk (stream) or in memory (flight). */
  maxMb?: number
  causality?: 'events' | 'promises'
  /** Flight mode: a request slower than this many ms dumps the trace. */
  sloMs?: number | null
  /** Records that a thread keeps until they are taken to the trace; a power of two. */
  ringRecords?: number
  /** Pause between two looks of the ready-time watcher, µs; 0: no watcher. */
  watcherUs?: number
  /** Whether it is recorded when the thread did not run. */
  offCpu?: boolean
  /** How often a second the JavaScript stack of a busy loop is recorded; 0, the default: never. */
  stacksHz?: number
  /** When stacks are recorded: '32/128', 32 of each 128 ms; 0, the default: always (docs/bursts.md). */
  burst?: string | number
  /** An event that runs for so many ms is told on stderr while it lasts, and to `on('stall')`. */
  stallMs?: number | null
  /** Whether the whole paths of files are recorded, and not only their first two directories. */
  wholePaths?: boolean
  /** What reports of several services call this one. */
  service?: string
}

export interface Status {
  recording: boolean
  /** The trace file of this thread. */
  file?: string
  /** Records that found the ring full. */
  dropped?: number
  /** Bytes that could not be written. */
  lostBytes?: number
  writtenBytes?: number
  /** CPU time of the ready-time watcher, ns. */
  watcherCpuNs?: number
}

/**
 * Begins to record this thread; returns the trace file. No effect when it
 * records already. Throws when it cannot (no addon, directory not writable), a
 * TypeError when an option is none or its value is not allowed.
 */
export function start (options?: Options): string

/** Stops recording this thread and writes the rest. */
export function stop (): void

/** Writes out what is held in memory or not yet flushed; returns the file. Throws when not recording. */
export function dump (): string

export function status (): Status

/** An event of this thread that ran for longer than `stallMs`. */
export interface Stall {
  /** For how long, to about a millisecond. */
  ms: number
  /** Of the request that began in it, its path with ids folded; null: none did. */
  route: string | null
  /** The function that ran when it was noticed, the innermost that is not Node's own; null: it has no name, or was not seen. */
  function: string | null
  script: string | null
  line: number | null
  column: number | null
}

/** Calls `listener` after each stall, in an event of its own. Keeps no process alive. */
export function on (name: 'stall', listener: (stall: Stall) => void): void
export function off (name: 'stall', listener: (stall: Stall) => void): void

/**
 * What boosting (EDGEWISE_BOOST) has done in this thread until now, `boost` of
 * docs/report-json.md; null when it is off.
 */
export function boostStatus (): Record<string, any> | null

/** This thread's requests, recording and boosting, in Prometheus's text format: docs/hand-over.md. */
export function metrics (): string

/** What `report` takes. */
export interface ReportOptions {
  /** The tail are the requests at or above it, of 100; default 99. */
  percentile?: number
  /** Only requests of this route, as reports name it. */
  route?: string
  /** Leaves out the requests of these routes. */
  excludeRoute?: string[]
  /** Counts event streams and long polls as well, which wait by design. */
  eventStreams?: boolean
  /** Adds this request's events and critical path. */
  request?: number
  process?: number
  thread?: number
  /** How many critical paths are told; default 5. */
  slowest?: number
  /** Leaves out the requests that began in so many seconds after the first one. */
  skip?: number
  /** Adds every stack that was sampled, and the tree of their frames. */
  stacks?: boolean
  /** Whether functions are told by their sources, where scripts have source maps; default true. */
  sourceMaps?: boolean
  /** Also writes one JSON line a request to this file. */
  requestsPath?: string
}

/**
 * Analyses the trace in `directory`; docs/report-json.md describes what comes
 * back. Throws an Error with `code` 'NOT_FOUND' (no trace there),
 * 'INVALID_ARGUMENT' or 'INTERNAL'.
 */
export function report (directory: string, options?: ReportOptions): Record<string, any>

/** What `reportAsync` takes besides. */
export interface ReportAsyncOptions extends ReportOptions {
  /** Ends the analysis when it is aborted. */
  signal?: AbortSignal
  /** Is told every second how far it is, 0 to 1. */
  onProgress?: (share: number) => void
}

/**
 * The same beside the event loop. Rejects as `report` throws; with `code`
 * 'CANCELLED' when `signal` was aborted.
 */
export function reportAsync (directory: string, options?: ReportAsyncOptions): Promise<Record<string, any>>

/** One thing that is different: docs/whatif.md. */
export interface Change {
  kind: string
  route?: string
  dependency?: string
  scale?: number
  addNs?: number
  tierNs?: number[]
  first?: number
  second?: number
  count?: number
  bytes?: number
}

/** What `whatif` predicts, and how. */
export interface WhatIfOptions {
  /** Changes that are made together, each a prediction. */
  scenarios?: { name: string, changes: Change[] }[]
  /** Also rank what is worth changing. */
  rank?: boolean
  /** Also find the largest load at which this percentile (50, 90, 99 or 99.9) ... */
  goalPercentile?: number
  /** ... is at most so long, in ns. */
  goalNs?: number
  /** Leave out the requests of these routes. */
  excludeRoute?: string[]
  /** Leave out what came in the first seconds of each file (2). */
  skip?: number
  /** How often a run is repeated with other arrivals (20). */
  replications?: number
  /** Of what is drawn (1). */
  seed?: number
  signal?: AbortSignal
  onProgress?: (share: number) => void
}

/**
 * Predicts what changes would do to the recorded requests: docs/whatif.md. Rejects as
 * `reportAsync` does.
 */
export function whatif (directory: string, options?: WhatIfOptions): Promise<Record<string, any>>

/** What `compare` compares, and how. */
export interface CompareOptions {
  /** Directories with traces, recorded as things are. */
  a: string[]
  /** Recorded after the change; none with `by`. */
  b: string[]
  /** Once more recorded as A was; none: halves of A are compared. */
  same?: string[]
  /** Splits the recordings of A: each process, thread, minute or version of Node.js against all others. */
  by?: 'process' | 'worker' | 'minute' | 'node'
  /** Only requests of this route. */
  route?: string
  /** Leave out the requests of these routes. */
  excludeRoute?: string[]
  /** Leave out what came in the first seconds of each file (2). */
  skip?: number
  /** How often blocks of time are drawn (10000). */
  resamples?: number
  /** Of what is drawn (1). */
  seed?: number
  /** How long a block is, ns (ten times as long as the latency remembers). */
  blockNs?: number
  /** The intervals of all looks at traces that grow hold together. */
  always?: boolean
  signal?: AbortSignal
  onProgress?: (share: number) => void
}

/**
 * Whether B is slower than A, and why: docs/compare.md. Rejects as `reportAsync` does.
 */
export function compare (options: CompareOptions): Promise<Record<string, any>>

/** What `across` reads, and how. */
export interface AcrossOptions {
  /** One for each recording, of services recorded at the same time. */
  directories: string[]
  /** The tail are the requests at or above it, of 100; default 99. */
  percentile?: number
  /** Leaves out the requests of these routes. */
  excludeRoute?: string[]
  /** Leaves out what came in the first seconds of each file. */
  skip?: number
  /** How many requests are told through all services (5). */
  slowest?: number
  signal?: AbortSignal
  onProgress?: (share: number) => void
}

/**
 * Requests that go through several services: docs/across.md. Rejects as `reportAsync` does.
 */
export function across (options: AcrossOptions): Promise<Record<string, any>>

/** What can be observed in this process, as tried: facts, and `{name, available, reason}` for what may be missing. */
export function probe (): Record<string, any>

/**
 * Runs `fn` as a request of route `name`: for what no HTTP server announces (a
 * WebSocket message, an MQTT packet, a job). It ends when `fn` returns, or when
 * the promise that it returns settles; it failed when `fn` throws or rejects.
 * Of a promise its `then` is called, once, and what that gives is returned.
 * Must be called at the begin of the work, in the event that brought it.
 */
export function request<T> (name: string, fn: () => T): T

/**
 * Names the route of the request that the running code works for, in the place of its path
 * or of its framework's pattern: `name` comes after the method. Without `request`, Node's own object, requests
 * are followed (AsyncLocalStorage) from the first call on: give it in a server that cannot afford
 * that, or to name the requests that are open at the first call. No effect when nothing is recorded.
 */
export function route (name: string, request?: import('node:http').IncomingMessage | import('node:http2').Http2ServerRequest): void
