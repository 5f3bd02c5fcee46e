'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { layerProblems } = require('../../scripts/tasks/check-layers')
const { temporaryTree } = require('./temporary-tree')

const GOOD = {
  'package.json': '{"dependencies": {"commander": "1"}, "devDependencies": {"eslint": "1"}}',
  'src/trace/reader.cc': '#include "trace/reader.h"\n#include <vector>\n#include "absl/status/status.h"\n',
  'src/recorder/drain.cc': '#include "trace/writer.h"\n#include "platform/clock.h"\n#include <sys/epoll.h>\n',
  'src/hooks/provider.cc': '#include <v8.h>\n#include <node.h>\n#include <uv.h>\n#include "recorder/drain.h"\n',
  'src/addon/binding.cc': '#include <napi.h>\n#include "hooks/provider.h"\n#include "napi/errors.h"\n',
  'src/reporting/binding.cc': '#include <napi.h>\n#include "analysis/report.h"\n',
  'src/analysis/report.cc': '#include "analysis/tail/statistics.h"\n',
  'src/analysis/tail/latency_pass.cc': '#include "analysis/tail/histogram.h"\n#include "analysis/stream/clock_map.h"\n',
  'test/native/trace/reader_test.cc': '#include "trace/reader.h"\n#include "recorder/drain.h"\n#include "gtest/gtest.h"\n',
  'lib/index.js': "const { load } = require('./native/binding')\nconst { render } = require('./report')\n",
  'lib/native/binding.js': "const path = require('node:path')\nconst { version } = require('../../package.json')\n",
  'lib/cli/record.js': "const { Command } = require('commander')\nconst index = require('../index')\nconst { note } = require('./failure')\n",
  'lib/report/index.js': "const { table } = require('./table')\n",
  'lib/page/app/main.js': "const { render } = require('preact')\nconst { useState } = require('preact/hooks')\n",
  'bin/edgewise.js': "require('../lib/cli').main()\n"
}

function problemsWith (t, changes) {
  const files = { ...GOOD, ...changes }
  return layerProblems(temporaryTree(t, files), Object.keys(files))
}

test('a tree that keeps to the table has no findings', t => {
  assert.deepStrictEqual(problemsWith(t, {}), [])
})

const TAMPERED = {
  'trace includes recorder': ['src/trace/reader.cc', '\n#include "recorder/ring.h"', /reader\.cc:2: trace may not include recorder\/ring\.h: it may use no other part/],
  'analysis includes platform': ['src/analysis/graph.cc', '#include "platform/clock.h"', /analysis may not include platform\/clock\.h: it may use parquet, trace/],
  'a room includes one that comes later': ['src/analysis/graph/blame.cc', '#include "analysis/tail/statistics.h"', /analysis\/graph may not include analysis\/tail\/statistics\.h: it may use stream, timeline/],
  'a room includes what lies beside the rooms': ['src/analysis/graph/blame.cc', '#include "analysis/report.h"', /analysis\/graph may not include analysis\/report\.h/],
  'a room without a row': ['src/analysis/attic/old.cc', '#include "analysis/graph/blame.h"', /src\/analysis\/attic has no row/],
  'recorder includes v8.h': ['src/recorder/drain.cc', '#include <v8.h>', /v8\.h may only be included in src\/hooks and src\/addon/],
  'a spaced directive, and one of V8\'s other headers': ['src/trace/a.h', '#  include <v8-isolate.h>', /v8-isolate\.h may only/],
  'platform includes uv.h with quotes': ['src/platform/loop.cc', '#include "uv.h"', /uv\.h may only/],
  'hooks includes napi.h': ['src/hooks/provider.cc', '#include <napi.h>', /napi\.h may only be included in src\/addon and src\/napi and src\/reporting/],
  'the addon that records includes analysis': ['src/addon/binding.cc', '#include "analysis/report.h"', /addon may not include analysis/],
  'the addon that reports includes v8.h': ['src/reporting/binding.cc', '#include <v8.h>', /v8\.h may only be included in src\/hooks and src\/addon/],
  'hooks includes addon': ['src/hooks/provider.cc', '#include "addon/exports.h"', /hooks may not include addon/],
  'an include relative to the file': ['src/trace/reader.cc', '#include "reader.h"', /includes are spelled from src\//],
  'an include that climbs': ['src/trace/reader.cc', '#include "../platform/clock.h"', /includes are spelled from src\//],
  'the product includes GoogleTest': ['src/trace/reader.cc', '#include "gtest/gtest.h"', /includes are spelled/],
  'a native test includes hooks': ['test/native/trace/reader_test.cc', '#include "hooks/provider.h"', /trace may not include hooks/],
  'a directory without a row': ['src/extras/x.cc', '#include <vector>', /src\/extras has no row/],
  'binding requires index': ['lib/native/binding.js', "require('../index')", /native may not require \.\.\/index: it may use no other part/],
  'report requires cli': ['lib/report/table.js', "const a = 1\nconst c = require('../cli/record')", /table\.js:2: report may not require \.\.\/cli\/record/],
  'lib requires a script': ['lib/index.js', "require('../scripts/tasks/step')", /outside lib\//],
  'a script requires a benchmark': ['scripts/tasks/profile.js', "const { run } = require('../../benchmarks/apps/run')", /profile\.js:1: scripts may not require benchmarks/],
  'a development dependency in the product': ['lib/cli/record.js', "require('eslint')", /eslint is not among the dependencies/],
  'a built-in module without node:': ['lib/cli/record.js', 'require("fs")', /say node:fs/],
  'import() counts as well': ['lib/native/binding.js', "await import('../index.js')", /native may not require/],
  'a file of lib without a row': ['lib/extras.js', "require('node:fs')", /lib\/extras has no row/],
  'a browser has nothing of Node': ['lib/page/app/main.js', "require('node:fs')", /node:fs: what runs in a browser may use preact, htm/],
  'preact outside of the page': ['lib/cli/record.js', "require('preact')", /preact is not among the dependencies/],
  'bin goes around cli': ['bin/edgewise.js', "require('../lib/native/binding')", /bin may not require/]
}
for (const [what, [file, content, expected]] of Object.entries(TAMPERED)) {
  test(`found: ${what}`, t => {
    const problems = problemsWith(t, { [file]: content })
    assert.strictEqual(problems.length, 1, problems.join('\n'))
    assert.match(problems[0], expected)
  })
}

test('the table has a row for every part of this tree, and none of its own', () => {
  const { SRC } = require('../../scripts/tasks/layers')
  const parts = fs.readdirSync(path.join(__dirname, '..', '..', 'src'), { withFileTypes: true })
  for (const part of parts.filter(each => each.isDirectory())) assert.ok(part.name in SRC, `${part.name} has no row`)
  for (const [part, usable] of Object.entries(SRC)) {
    for (const used of usable) assert.ok(!SRC[used].includes(part), `${part} and ${used} use each other`)
  }
})
