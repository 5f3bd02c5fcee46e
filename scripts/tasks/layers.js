'use strict'

// Who may include or require whom: the arrows of docs/architecture.md as data.
// A row names a part of the tree and the parts it may use directly; itself is
// always allowed. `scripts/check layers` verifies it.

/** Parts of src/, each a directory. */
const SRC = {
  trace: [],
  platform: [],
  recorder: ['trace', 'platform'],
  // Tables as files of the format Parquet.
  parquet: [],
  analysis: ['parquet', 'trace'],
  whatif: ['analysis', 'boost', 'trace'],
  compare: ['analysis', 'trace'],
  // Requests through several services.
  across: ['analysis', 'trace'],
  // What other tools are given.
  handover: ['analysis', 'trace'],
  // What requests take while they are recorded.
  live: ['analysis', 'trace', 'platform'],
  boost: ['trace', 'platform'],
  // The daemon edgewise-boostd: an executable.
  boostd: ['boost', 'platform'],
  // What pauses services; and the program edgewise-poker.
  poke: ['platform'],
  poker: ['poke', 'platform'],
  // platform: for its clock, the only one there is.
  hooks: ['recorder', 'boost', 'trace', 'platform'],
  // What both addons need of Node-API.
  napi: [],
  // The addon that records and boosts, for one version of Node; and the one that reports, for all.
  addon: ['trace', 'platform', 'recorder', 'boost', 'hooks', 'napi'],
  reporting: ['across', 'analysis', 'compare', 'handover', 'live', 'whatif', 'napi']
}

/** Rooms of a part, by the way that data takes, and which of the rooms each may use; what lies beside them may use all. */
const ROOMS = {
  analysis: {
    timeline: [],
    stream: ['timeline'],
    stacks: ['stream'],
    graph: ['stream', 'timeline'],
    builder: ['graph', 'stacks', 'stream', 'timeline'],
    tail: ['builder', 'stream', 'timeline'],
    requests: ['builder', 'graph', 'stream', 'tail', 'timeline'],
    page: ['builder', 'graph', 'requests', 'stream', 'tail', 'timeline'],
    rows: ['builder', 'graph', 'page', 'requests', 'stacks', 'stream', 'tail', 'timeline'],
    tables: ['builder', 'graph', 'page', 'requests', 'rows', 'stacks', 'stream', 'tail', 'timeline']
  },
  compare: {
    sample: [],
    reading: ['sample'],
    verdict: ['sample']
  },
  whatif: {
    model: [],
    simulation: ['model'],
    boosting: ['model', 'simulation'],
    prediction: ['model', 'simulation']
  }
}

/** Headers of Node that only some parts of src/ may include. */
const NODE_HEADERS = [
  { pattern: /^napi(-inl)?\.h$|^(js_native|node)_api(_types)?\.h$/, parts: ['addon', 'napi', 'reporting'] },
  { pattern: /^(v8(-[a-z-]+)?|node(_[a-z]+)?|uv)\.h$|^(uv|cppgc|libplatform)\//, parts: ['hooks', 'addon'] }
]

/** What a native test (test/native/PART) may use beside its own part: all that CMake builds. */
const NATIVE_TESTS = Object.keys(SRC).filter(part => !['hooks', 'addon', 'napi', 'reporting', 'boostd', 'poker'].includes(part))

/** Libraries that any part of src/ may include, as the first part of a path. */
const LIBRARIES = { src: ['absl', 'nlohmann'], test: ['gtest', 'gmock', 'benchmark'] }

/** Parts of lib/ (files or directories), and bin/. */
const LIB = {
  native: [],
  config: [],
  control: [],
  'make-directory': [],
  'named-texts': [],
  report: ['statistics'],
  shell: [],
  sources: [],
  statistics: [],
  flame: ['report'],
  page: ['report'],
  across: ['report'],
  compare: ['report'],
  whatif: ['flame', 'report'],
  slow: ['report', 'statistics'],
  export: [],
  bpf: ['named-texts', 'native'],
  kernel: ['bpf', 'make-directory'],
  query: ['export', 'named-texts', 'report'],
  tune: ['statistics'],
  instrument: ['native'],
  recording: ['native', 'instrument', 'make-directory'],
  boosting: ['native', 'config', 'instrument', 'make-directory'],
  index: ['native', 'compare', 'kernel', 'report', 'sources', 'config', 'instrument', 'recording', 'boosting'],
  register: ['native', 'config', 'control', 'instrument', 'recording', 'boosting', 'shell'],
  cli: ['index', 'across', 'bpf', 'compare', 'report', 'flame', 'page', 'export', 'query', 'config', 'control', 'kernel', 'make-directory', 'named-texts', 'native', 'shell', 'slow', 'tune', 'whatif'],
  bin: ['cli']
}

// What runs in a browser, from a bundle: it may use these packages, which no
// user installs, and nothing of Node.
const BUNDLED = { directory: 'lib/page/app/', packages: ['preact', 'htm'] }

module.exports = { SRC, ROOMS, NATIVE_TESTS, NODE_HEADERS, LIBRARIES, LIB, BUNDLED }
