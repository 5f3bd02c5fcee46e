'use strict'

// The stacks of a report as flame graphs and as other tools' files.

const assert = require('node:assert/strict')
const test = require('node:test')
const { gunzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { collapsed } = require('../../lib/flame/collapsed')
const { cpuprofile } = require('../../lib/flame/cpuprofile')
const { fold } = require('../../lib/flame/fold')
const { labelOf } = require('../../lib/flame/label')
const { pprof } = require('../../lib/flame/pprof')
const { speedscope } = require('../../lib/flame/speedscope')
const { svg } = require('../../lib/flame/svg')
const { treeOf } = require('../../lib/flame/tree')

const US = 1000
const TEXTS = ['', 'handle', '/app/server.js', 'compose', '/app/node_modules/etherpad/changeset.js', 'emit', 'node:events']
/** emit > handle > compose; two lines of compose. */
const TREE = {
  parent: [0, 0, 1, 2, 2],
  function: [0, 5, 1, 3, 3],
  script: [0, 6, 2, 4, 4],
  line: [0, 524, 10, 412, 413],
  column: [0, 1, 2, 3, 3],
  package: [0, 0, 0, 1, 1],
  packages: [null, { name: 'etherpad', version: '2.2.0' }],
  texts: TEXTS
}
const REPORT = {
  tail: { count: 2, percentile: 99 },
  rest: { count: 10 },
  stacks: {
    samples: 9,
    tree: TREE,
    causes: [
      { what: 'GET / tcp_read', stacks: [[3, 40 * US, 20 * US, 0, 0], [4, 0, 10 * US, 100 * US, 0], [0, 2 * US, 0, 0, 0]] },
      { what: '(no request) timer', stacks: [[1, 0, 0, 50 * US, 0]] }
    ]
  }
}
const name = (/** @type {any} */ { frames }) => frames.map(labelOf).join(' > ')

test('times are those of a request, of the part that is asked for', () => {
  const tail = fold(REPORT, 'tail')
  assert.equal(name(tail[0]), 'GET / tcp_read > emit (node:events:524) > handle (app/server.js:10) > compose (etherpad@2.2.0 changeset.js:412)')
  assert.deepEqual(tail.map(({ ns, rest }) => [ns / US, rest / US]), [[30, 0], [5, 10], [1, 0], [0, 5]])
  assert.equal(name(tail[2]), 'GET / tcp_read > (what ran could not be told)')
  assert.deepEqual(tail[0].frames.map(({ kind }) => kind), ['cause', 'node', 'own', 'package'])
  assert.deepEqual(fold(REPORT, 'blockers').map(({ ns }) => ns / US), [20, 1, 0, 0])
  assert.deepEqual(fold(REPORT, 'own').map(({ ns }) => ns / US), [10, 5])
  assert.deepEqual(fold(REPORT, 'rest').map(({ ns, rest }) => [ns / US, rest / US]), [[10, 5], [5, 0], [0, 30], [0, 1]])
  assert.deepEqual(fold(REPORT, 'tail').map(({ waited }) => waited / US), [20, 0, 1, 0])
  assert.deepEqual(fold({ stacks: null }, 'tail'), [])
})

test('times of one request are its own, and the others are those of the rest', () => {
  const [first, ...others] = REPORT.stacks.causes
  const causes = [{ ...first, stacks: first.stacks.map((row) => [...row, 7 * US, 1 * US]) }, ...others.map((cause) => ({ ...cause, stacks: cause.stacks.map((row) => [...row, 0, 0]) }))]
  const folded = fold({ ...REPORT, stacks: { ...REPORT.stacks, causes } }, 42)
  assert.deepEqual(folded.map(({ ns, waited, rest }) => [ns / US, waited / US, rest / US]), [[8, 7, 0], [8, 7, 10], [8, 7, 0], [0, 0, 5]])
})

test('a function is one box, whatever line it was at', () => {
  const [cause] = treeOf(fold(REPORT, 'tail')).children.filter(({ label }) => label.startsWith('GET'))
  const [emit] = cause.children.filter(({ label }) => label.startsWith('emit'))
  const { children: [compose, ...others] } = emit.children[0]
  assert.deepEqual([compose.ns / US, compose.rest / US, others.length], [35, 10, 0])
})

test('collapsed: a stack a line, and of two numbers that of the others first', () => {
  const lines = collapsed(fold(REPORT, 'tail'), { diff: false }).trim().split('\n')
  assert.equal(lines[0], 'GET / tcp_read;emit (node:events:524);handle (app/server.js:10);compose (etherpad@2.2.0 changeset.js:412) 30')
  assert.equal(lines.length, 3)
  const both = collapsed(fold(REPORT, 'tail'), { diff: true }).trim().split('\n')
  assert.match(both[1], / 10 5$/)
  assert.equal(both.length, 4)
  assert.match(collapsed([{ frames: [{ name: 'a;b\nc', script: '', line: 0, column: 0, package: null, kind: 'own' }], ns: US, waited: 0, rest: 0 }], { diff: false }), /^a,b c 1\n$/)
})

test('speedscope: each stack is a sample, and its weight its time', () => {
  const { $schema, shared: { frames }, profiles: [profile], activeProfileIndex, ...others } = JSON.parse(speedscope(fold(REPORT, 'tail'), { title: 'the tail', version: '1' }))
  assert.deepEqual([$schema, activeProfileIndex, others], ['https://www.speedscope.app/file-format-schema.json', 0, { name: 'the tail', exporter: 'edgewise 1' }])
  const { samples, weights, ...told } = profile
  assert.deepEqual(told, { type: 'sampled', name: 'the tail', unit: 'nanoseconds', startValue: 0, endValue: 36 * US })
  assert.equal(samples.length, weights.length)
  for (const number of samples.flat()) assert.ok(Number.isInteger(number) && number in frames)
  for (const { name: called, file = '', line = 1, col = 1 } of frames) assert.deepEqual([called, file, line, col].map((value) => typeof value), ['string', 'string', 'number', 'number'])
  assert.deepEqual(profile.weights, [30, 5, 1, 0].map((us) => us * US))
  assert.deepEqual(profile.samples[0].map((/** @type {number} */ i) => frames[i].name), ['GET / tcp_read', 'emit', 'handle', 'compose'])
  assert.deepEqual(frames[profile.samples[0][3]], { name: 'compose', file: TEXTS[4], line: 412, col: 3 })
  assert.equal(profile.samples[1][2], profile.samples[0][2])
})

/** What a reader of pprof's makes of it. */
const read = (/** @type {Buffer} */ bytes) => {
  const { stringTable: { strings }, sampleType, sample, location, function: functions, ...told } = Profile.decode(gunzipSync(bytes))
  const text = (/** @type {number | bigint} */ at) => strings[Number(at)]
  const frameOf = (/** @type {number | bigint} */ id) => {
    const [{ line: [{ functionId, line }] }, ...same] = location.filter((each) => each.id === id)
    const [{ name: called, filename }, ...others] = functions.filter((each) => each.id === functionId)
    assert.deepEqual([same, others], [[], []])
    return { name: text(called), file: text(filename), line: Number(line) }
  }
  return {
    types: sampleType.map(({ type, unit }) => `${text(type)} ${text(unit)}`),
    shown: text(told.defaultSampleType),
    comments: told.comment.map(text),
    samples: sample.map(({ locationId, value }) => ({ frames: locationId.map(frameOf), values: value.map(Number) }))
  }
}

test('pprof: the innermost frame comes first, and a line is a location of its function', () => {
  const { types, shown, comments, samples } = read(pprof(fold(REPORT, 'tail'), { title: 'the tail', of: 'tail', diff: false }))
  assert.deepEqual([types, shown, comments], [['wait nanoseconds', 'exec nanoseconds', 'total nanoseconds'], 'total', ['the tail']])
  assert.deepEqual(samples.map(({ values }) => values.map((ns) => ns / US)), [[20, 10, 30], [0, 5, 5], [1, 0, 1]])
  assert.deepEqual(samples[0].frames, [
    { name: 'compose', file: TEXTS[4], line: 412 }, { name: 'handle', file: TEXTS[2], line: 10 }, { name: 'emit', file: 'node:events', line: 524 }, { name: 'GET / tcp_read', file: '', line: 0 }
  ])
  assert.equal(samples[1].frames[0].line, 413)
})

test('pprof: a sample type for each number that is asked for', () => {
  const typesOf = (/** @type {import('../../lib/flame/fold').Of} */ of, diff = false) => {
    const { types, samples } = read(pprof(fold(REPORT, of), { title: '', of, diff }))
    return [types.map((type) => type.split(' ')[0]), samples[0].values.map((ns) => ns / US)]
  }
  assert.deepEqual(typesOf('blockers'), [['wait'], [20]])
  assert.deepEqual(typesOf('own'), [['exec'], [10]])
  assert.deepEqual(typesOf('tail', true), [['rest', 'tail'], [0, 30]])
  assert.deepEqual(typesOf('rest', true), [['tail', 'rest'], [5, 10]])
})

test('pprof: long times, and functions without a name, each by its place', () => {
  const frames = [1, 2].map((line) => ({ name: '(anonymous)', script: '/a/b.js', line, column: 1, kind: /** @type {const} */ ('own') }))
  const { samples: [{ frames: told, values }] } = read(pprof([{ frames, ns: 7e12, waited: 5e9, rest: 0 }], { title: '', of: 'tail', diff: false }))
  assert.deepEqual(values, [5e9, 7e12 - 5e9, 7e12])
  assert.deepEqual(told.map(({ name: called }) => called), ['(anonymous) (a/b.js:2)', '(anonymous) (a/b.js:1)'])
})

test('cpuprofile: each sample lasts until the next one', () => {
  const { nodes, samples, timeDeltas, startTime, endTime } = JSON.parse(cpuprofile(fold(REPORT, 'tail')))
  assert.deepEqual(timeDeltas, [0, 30, 5, 1])
  assert.equal(endTime - startTime, 36)
  const byId = new Map(nodes.map((/** @type {any} */ node) => [node.id, node]))
  assert.equal(byId.get(samples[0]).callFrame.functionName, 'compose')
  assert.equal(byId.get(samples[0]).callFrame.lineNumber, 411)
  // One tree, in which each node but the first is a child once, and each sample's time is counted once.
  assert.deepEqual(nodes.flatMap((/** @type {any} */ { children }) => children).sort((/** @type {number} */ a, /** @type {number} */ b) => a - b), [...byId.keys()].slice(1))
  assert.equal(nodes[0].callFrame.functionName, '(root)')
  assert.equal(timeDeltas.length, samples.length)
  assert.equal(nodes.reduce((/** @type {number} */ sum, /** @type {any} */ { hitCount }) => sum + hitCount, 0), samples.length)
  for (const sample of samples) assert.ok(byId.has(sample))
  assert.deepEqual(nodes.map((/** @type {any} */ { id }) => id), nodes.map((/** @type {any} */ _, /** @type {number} */ i) => i + 1))
})

/** The boxes of a drawing; x and w in percent. */
const boxesOf = (/** @type {string} */ text) => [...text.matchAll(/<svg class="f" x="([\d.]+)%" y="(\d+)" width="([\d.]+)%" [^>]*><title>([^<]*)<\/title><rect [^>]*fill="([^"]*)"\/><text [^>]*>([^<]*)</g)]
  .map(([, x, y, w, title, colour, label]) => ({ x: Number(x), y: Number(y), w: Number(w), label, title, colour }))

test('svg: a box lies under the one that called it, and is as wide as its time', () => {
  const boxes = boxesOf(svg(fold(REPORT, 'tail'), { title: 'tail', diff: false }))
  const wide = (/** @type {string} */ start) => boxes.filter(({ label }) => label.startsWith(start))[0]
  assert.equal(wide('all').w, 100)
  assert.ok(Math.abs(wide('compose').w - 100 * 35 / 36) < 0.01)
  assert.deepEqual(['GET', 'emit', 'handle', 'compose'].map((start) => (wide(start).y - wide('all').y) / (wide('GET').y - wide('all').y)), [1, 2, 3, 4])
  assert.ok(wide('compose').x >= wide('handle').x && wide('compose').x + wide('compose').w <= wide('handle').x + wide('handle').w + 0.001)
  assert.match(wide('compose').title, /^compose \(etherpad@2.2.0 changeset.js:412\): 35.0 µs, 97.2 %$/)
  assert.equal(boxes.some(({ label }) => label.includes('timer')), false)
})

test('svg: what is more is orange, what is less is blue, and both are signed', () => {
  const boxes = boxesOf(svg(fold(REPORT, 'tail'), { title: 'tail', diff: true }))
  const [timer] = boxes.filter(({ label }) => label.includes('timer'))
  const [compose] = boxes.filter(({ label }) => label.includes('compose'))
  const rgb = (/** @type {string} */ colour) => colour.match(/\d+/g)?.map(Number) ?? []
  assert.ok(timer.label.startsWith('-5.00'), timer.label)
  assert.ok(compose.label.startsWith('+25.0'), compose.label)
  assert.ok(rgb(timer.colour)[2] > rgb(timer.colour)[0])
  assert.ok(rgb(compose.colour)[0] > rgb(compose.colour)[2])
  assert.match(compose.title, /others 10\.0 µs/)
})

test('svg: names are text, whatever they hold', () => {
  const frames = [{ name: '</script><img onerror="x">&\u0000', script: "/a'b.js", line: 1, column: 1, package: null, kind: /** @type {const} */ ('own') }]
  const text = svg([{ frames, ns: US, waited: 0, rest: 0 }], { title: '<&">', diff: false })
  assert.equal(text.includes('<img'), false)
  assert.equal(text.includes('\u0000'), false)
  assert.equal(text.match(/<script>/g)?.length, 1)
  assert.doesNotThrow(() => svg([], { title: 'nothing', diff: true }))
})
