'use strict'

// What benchmarks/stacks makes of reports, profiles and numbers.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { Function: PprofFunction, Line, Location, Profile, Sample, StringTable, ValueType } = require('pprof-format')
const { medianOf } = require('../../benchmarks/stacks/median')
const { page } = require('../../benchmarks/stacks/page')
const { namedOf, ofCpuProfile, ofPprof, ofTicks } = require('../../benchmarks/stacks/peers/profiles')
const { PROGRAMS } = require('../../benchmarks/stacks/programs')
const { directions, judge, judgeTail } = require('../../benchmarks/stacks/truth/judge')

const about = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-9, `${value} is not ${expected}`)
const programOf = (name) => /** @type {any} */ (PROGRAMS.find((program) => program.name === name))

/** @param {[string, number][]} requests */
const workedOf = (...requests) => requests.map(([route, ns]) => ({ route, ns, wallNs: ns }))

/**
 * A report whose causes ran these stacks.
 * @param {{ what: string, path: string[], ns: number, rest?: number }[]} rows path: `name script`, the outermost first; none: not told
 */
function reportOf (rows, tail = 1, rest = 1) {
  const texts = ['']
  const text = (value) => texts.includes(value) ? texts.indexOf(value) : texts.push(value) - 1
  const tree = { parent: [0], function: [0], script: [0], line: [0], column: [0], package: [0], packages: [null], texts }
  const causes = rows.map(({ what, path, ns, rest: restNs = 0 }) => {
    let node = 0
    for (const frame of path) {
      const [name, script = 'functions.js'] = frame.split(' ')
      tree.parent.push(node)
      tree.function.push(text(name))
      tree.script.push(text(script))
      tree.line.push(1)
      tree.column.push(1)
      tree.package.push(0)
      node = tree.parent.length - 1
    }
    return { what, stacks: [[node, 0, ns, 0, restNs]] }
  })
  return { tail: { count: tail }, rest: { count: rest }, stacks: { samples: 7, tree, causes } }
}

test('a function is right in its own requests only, and Node\'s functions within it are its own', () => {
  const report = reportOf([
    { what: 'GET /plain tcp_read', path: ['handle', 'spinning'], ns: 600 },
    { what: 'GET /plain tcp_read', path: ['handle', 'spinning', 'now node:perf_hooks'], ns: 100 },
    { what: 'GET /plain tcp_read', path: ['handle', 'decoying'], ns: 200 },
    { what: 'GET /plain tcp_read', path: [], ns: 100 },
    { what: 'GET /plain tcp_read', path: ['handle server.js'], ns: 1000 },
    { what: 'GET /decoy tcp_read', path: ['handle', 'decoying'], ns: 90 },
    { what: 'GET /decoy tcp_read', path: ['handle', 'spinning'], ns: 10 },
    { what: 'GET /truth tcp_read', path: ['handle'], ns: 5000 }
  ])
  const judged = judge(report, programOf('plain'), workedOf(['/plain', 1000], ['/decoy', 1], ['/plain', 400]))
  about(judged.rightShare, 790 / 1000)
  about(judged.unknownShare, 0.05)
  about(judged.aroundShare, 0.5)
  assert.deepEqual([judged.samples, judged.toldNs, judged.trueNs, judged.needs], [7, 700, 1400, undefined])
})

test('an inlined function must have been called by its own caller, and TypeScript is told by its source', () => {
  const inlined = reportOf([
    { what: 'GET /inlined tcp_read', path: ['calling', 'outer', 'inner'], ns: 98 },
    { what: 'GET /inlined tcp_read', path: ['calling', 'outer'], ns: 2 }
  ])
  about(judge(inlined, programOf('inlined'), []).rightShare, 0.98)
  const bundle = (script) => reportOf([{ what: 'GET /made tcp_read', path: [`weighing ${script}`], ns: 1 }])
  assert.deepEqual([judge(bundle('/tmp/bundle.js'), programOf('typescript'), []).rightShare, judge(bundle('/src/weighing.ts'), programOf('typescript'), []).rightShare], [0, 1])
  assert.equal(judge(bundle('/tmp/bundle.js'), programOf('typescript'), []).needs, 'source maps')
  const mapped = bundle('/src/weighing.ts')
  assert.equal(judge({ ...mapped, stacks: { ...mapped.stacks, unmapped: [] } }, programOf('typescript'), []).needs, undefined)
})

test('the tail and the rest are compared with what their requests ran', () => {
  // Of four requests the report takes two for the tail, of which one was slow.
  const worked = workedOf(['/tail', 30], ['/decoy', 10], ['/decoy', 9], ['/decoy', 8])
  const report = reportOf([
    { what: 'GET /tail tcp_read', path: ['spinning'], ns: 35 },
    { what: 'GET /decoy tcp_read', path: ['decoying'], ns: 5, rest: 17 }
  ], 2, 2)
  const { tailRight, restRight, slow, tail } = judgeTail(report, worked)
  about(tailRight, 1 - (35 / 40 - 30 / 40))
  about(restRight, 1)
  assert.deepEqual([slow, tail], [1, 2])
})

test('what is more in the tail, and what is less, is read from the last function of each line', () => {
  const lines = 'GET /tail tcp_read;handle (a.js:1);spinning (a.js:2) 0 40\nGET /decoy tcp_read;decoying (a.js:3) 9 4\nGET /decoy tcp_read;handle (a.js:1) 3 3\n'
  assert.deepEqual(directions(lines), { more: ['spinning'], less: ['decoying'] })
})

test('profiles are stacks of names', () => {
  const node = (id, functionName, children = []) => ({ id, callFrame: { functionName }, children })
  const profile = { nodes: [node(1, '(root)', [2]), node(2, 'outer', [3]), node(3, 'inner')], startTime: 100, endTime: 160, samples: [3, 2], timeDeltas: [10, 20] }
  assert.deepEqual(ofCpuProfile(JSON.stringify(profile)),
    [{ names: ['(root)', 'outer', 'inner'], ns: 20_000 }, { names: ['(root)', 'outer'], ns: 30_000 }])

  assert.deepEqual(ofTicks(JSON.stringify([[{ name: '~outer /a.js:1:2' }, { name: '*inner /a.js:3:4' }]])), [{ names: ['outer', 'inner'], ns: 1e6 }])

  const strings = new StringTable()
  const text = (value) => strings.dedup(value)
  const functions = ['inner', 'outer'].map((name, i) => new PprofFunction({ id: i + 1, name: text(name) }))
  const encoded = new Profile({
    sampleType: [new ValueType({ type: text('sample'), unit: text('count') }), new ValueType({ type: text('wall'), unit: text('nanoseconds') })],
    sample: [new Sample({ locationId: [1, 2], value: [3, 3000] })],
    location: functions.map(({ id }) => new Location({ id, line: [new Line({ functionId: id, line: 1 })] })),
    function: functions,
    stringTable: strings
  }).encode()
  assert.deepEqual(ofPprof(encoded), [{ names: ['outer', 'inner'], ns: 3000 }])
})

test('an inlined function is named or not while its caller ran; native code is told with all that calls it', () => {
  const named = namedOf([
    { names: ['calling', 'outer', 'inner'], ns: 30 },
    { names: ['calling', 'outer'], ns: 10 },
    { names: ['hashing', 'pbkdf2Sync'], ns: 7 },
    { names: ['hashing'], ns: 2 },
    { names: ['other'], ns: 100 }
  ])
  assert.deepEqual(named, { inlinedShare: 0.75, nativeLeaf: 'pbkdf2Sync', nativeNs: 9 })
  assert.deepEqual(namedOf([]), { inlinedShare: null, nativeLeaf: '', nativeNs: 0 })
})

test('the median lies between two of the values; of few there is no interval', () => {
  const upTo = (count) => Array.from({ length: count }, (_, i) => count - i)
  // Of the binomial distribution of 15: below the fourth lie 1.76 %, below the fifth 5.9 %.
  assert.deepEqual(medianOf(upTo(15)), { value: 8, low: 4, high: 12 })
  assert.deepEqual(medianOf(upTo(6)), { value: 3.5, low: 1, high: 6 })
  assert.deepEqual(medianOf(upTo(5)), { value: 3, low: null, high: null })
})

const MACHINE = { cpu: 'A processor', cpus: 2, memoryGb: 8, kernel: '6.1', node: 'v20.0.0', packages: {} }

test('the page says what is right, what is not, and what could not be measured', () => {
  const judged = (more) => ({ samples: 10, rightShare: 1, aroundShare: 0.01, unknownShare: 0, toldNs: 100, trueNs: 100, ...more })
  const text = page({
    machine: MACHINE,
    truth: {
      runs: [
        { node: 'v20.0.0', program: 'plain', judged: judged({}) },
        { node: 'v20.0.0', program: 'plain', judged: judged({ rightShare: 0.9, toldNs: 90 }) },
        { node: 'v20.0.0', program: 'native', judged: judged({ toldNs: 80 }) },
        { node: 'v20.0.0', program: 'typescript', judged: judged({ needs: 'source maps' }) },
        { node: 'v20.0.0', program: 'eval', judged: judged({ rightShare: NaN, aroundShare: NaN, unknownShare: NaN, toldNs: 0 }) }
      ],
      tails: [{ node: 'v20.0.0', tailRight: 0.99, restRight: 0.5, slow: 4, tail: 5, more: ['spinning'], less: ['decoying'] }]
    },
    peers: {
      pauses: ['none', 'edgewise', 'inspector'].flatMap((tool, i) => Array.from({ length: 6 }, (_, n) => ({ tool, beforeMs: 1, pauseMs: 100 * i + n }))),
      starts: [{ tool: 'none', ms: 50 }, { tool: '0x', ms: 80 }],
      named: [{ tool: 'edgewise', inlinedShare: 1, nativeLeaf: 'hashing', nativeNs: 99, nativeTrueNs: 100 }],
      pairs: [{ server: 'hello', variant: 'edgewise', mainUs: { off: 10, ratio: 1.02 }, ratePerS: { off: 100, ratio: 1 } }],
      failed: { '0x: functions': 'it wrote no file' }
    },
    cost: [0.9, 1.1].map((ratio) => ({ server: 'express', variant: 'stacks alone', mainUs: { off: 50, ratio }, ratePerS: { off: 1, ratio: 1 }, memoryMb: { off: 100, ratio: 1.05 } }))
  })
  assert.match(text, /\| v20\.0\.0 \| a function \| 20 \| \*\*95\.0 %\*\* \| 1\.0 % \| 0 % \| 0\.949 \[/)
  assert.match(text, /`crypto\.pbkdf2Sync` \| 10 \| 100 % \| 1\.0 % \| 0 % \| \*\*0\.800\*\* \|/)
  assert.match(text, /bundled TypeScript \| 10 \| needs source maps \|/)
  assert.match(text, /`eval` \| 10 \| \*\*nothing told\*\* \| - \| - \|/)
  assert.match(text, /\| 5, 4 \| 99\.0 % \| \*\*50\.0 %\*\* \| yes \|/)
  assert.match(text, /\| edgewise \| 102\.5 ms \[100\.0, 105\.0\] \| \+2\.0 % \| in 100 % \| 0\.99 \| yes \|/)
  assert.match(text, /\| 0x \| only from the start \(\+30 ms\) \| - \| does not run here \(below\) \|/)
  assert.match(text, /\| 0x \| only from the start \(\+30 ms\) \| \+30 \|/)
  assert.match(text, /0x: functions could not be measured on Node v\d+\.\d+\.\d+: it wrote no file/)
  assert.match(text, /\| express \| edgewise, EDGEWISE_STACKS=100, against EDGEWISE_STACKS=0 \| 2 \| 50\.00 \| -0\.5 % \[.*\] \| \+5\.0 of 100 \[\+5\.0, \+5\.0\] \|/)
  assert.doesNotMatch(text, /NaN|undefined|Infinity|null/)
})
