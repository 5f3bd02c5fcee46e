'use strict'

// The stacks of a report by the sources of what ran, and by its packages.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { pathToFileURL } = require('node:url')
const ts = require('typescript')
const { notes } = require('../../lib/report/notes')
const { placeOf } = require('../../lib/report/place')
const { mapStacks } = require('../../lib/sources')

const MIB = 2 ** 20
const SOURCE = `interface Order {
  id: number
}

type Nothing = never

export function total (orders: Order[]): number {
  let sum = 0
  for (const { id } of orders) sum += id
  return sum
}
`
const LOOP = lineOf(SOURCE, 'sum += id')
const { ModuleKind, ScriptTarget } = ts

/** @param {string} text @param {string} part @returns {number} from 1 */
function lineOf (text, part) {
  return text.split('\n').findIndex((line) => line.includes(part)) + 1
}

/** @param {any} t @param {Record<string, string>} [files] @returns {string} a directory with them */
function directory (t, files = {}) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-maps-')))
  t.after(() => fs.rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    fs.writeFileSync(path.join(root, name), text)
  }
  return root
}

/** @param {any} t @param {import('typescript').CompilerOptions} options @returns {{ root: string, script: string, line: number }} compiled, and where its loop is */
function compiled (t, options) {
  const root = directory(t, { 'src/a total.ts': SOURCE })
  const { outputText, sourceMapText } = ts.transpileModule(SOURCE, { fileName: '../src/a total.ts', compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, ...options } })
  const script = path.join(root, 'dist/a total.js')
  fs.mkdirSync(path.dirname(script))
  // What it compiles in memory it believes to be in one directory.
  fs.writeFileSync(script, outputText)
  if (sourceMapText) fs.writeFileSync(`${script}.map`, JSON.stringify({ ...JSON.parse(sourceMapText), sources: ['../src/a total.ts'] }))
  return { root, script, line: lineOf(outputText, 'sum += id') }
}

/**
 * Each frame a stack of its own, of 1000 ns less for each.
 * @param {{ name?: string, script: string, line: number, column?: number }[]} frames
 */
function stacksOf (frames) {
  const texts = ['']
  const textOf = (/** @type {string} */ text) => texts.includes(text) ? texts.indexOf(text) : texts.push(text) - 1
  const nodes = [{ name: '', script: '', line: 0, column: 0 }, ...frames]
  const tree = {
    parent: nodes.map(() => 0),
    function: nodes.map(({ name = 'total' }) => textOf(name)),
    script: nodes.map(({ script }) => textOf(script)),
    line: nodes.map(({ line }) => line),
    column: nodes.map(({ column = 7 }) => column),
    texts
  }
  return { samples: 3, causes: [{ what: 'GET /', functions: [], stacks: frames.map((_, i) => [i + 1, 10_000 - 1000 * i, 5, 3, 2]) }], tree }
}

/** @param {Parameters<typeof stacksOf>[0]} frames */
function told (frames, { sourceMaps = true, whole = true } = {}) {
  const mapped = mapStacks(stacksOf(frames), { sourceMaps, whole })
  return { ...mapped, functions: mapped.causes[0].functions, whys: mapped.unmapped.map((/** @type {any} */ { why }) => why) }
}

const places = (/** @type {any[]} */ functions) => functions.map(({ script, line }) => `${path.basename(script)}:${line}`)

/** A map of one line: each character is in the next line of its source. */
const LINE_EACH = { version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA,CACA,CACA' }
const commented = (/** @type {string} */ url) => `code()\n//# sourceMappingURL=${url}\n`

test('a compiled script is told by its source, whatever way its map is given', (t) => {
  for (const options of [{ sourceMap: true }, { inlineSourceMap: true }]) {
    const { root, script, line } = compiled(t, options)
    assert.notEqual(line, LOOP)
    for (const name of [script, pathToFileURL(script).href]) {
      const { functions: [total], unmapped, tree } = told([{ script: name, line, column: 41 }])
      if (options.sourceMap) assert.equal(total.script, path.join(root, 'src/a total.ts'))
      assert.equal(path.basename(total.script), 'a total.ts')
      assert.equal(total.line, LOOP)
      assert.equal(total.function, 'total')
      assert.deepEqual(unmapped, [])
      assert.equal(tree.texts[tree.script[1]], total.script)
      assert.deepEqual([tree.line[1], tree.column[1]], [total.line, total.column])
    }
  }
})

test('maps within scripts: base64 and percent-encoded, of any charset parameter and any length', (t) => {
  const json = JSON.stringify({ ...LINE_EACH, sourcesContent: ['x'.repeat(2 * MIB)] })
  const base64 = Buffer.from(json).toString('base64')
  const urls = [`data:application/json;base64,${base64}`, `data:application/json;charset=utf-8;base64,${base64}`, `data:application/json;charset:utf8;base64,${base64}`, `data:application/json,${encodeURIComponent(json)}`]
  for (const url of urls) {
    const root = directory(t, { 'a.js': commented(url), 'b.js': `code()\n/*# sourceMappingURL=${url} */\n\n//# sourceURL=b.js` })
    for (const name of ['a.js', 'b.js']) {
      assert.deepEqual(places(told([{ script: path.join(root, name), line: 1, column: 3 }]).functions), ['a.ts:3'])
    }
  }
})

test('the comment is found wherever the first piece of the file is cut', (t) => {
  const root = directory(t, { 'a.js.map': JSON.stringify(LINE_EACH) })
  const script = path.join(root, 'a.js')
  for (let after = 4040; after < 4110; after++) {
    fs.writeFileSync(script, `code();\n//# sourceMappingURL=a.js.map\n${' '.repeat(after)}`)
    assert.deepEqual(places(told([{ script, line: 1, column: 2 }]).functions), ['a.ts:2'], String(after))
    fs.writeFileSync(script, `code();\n//# sourceMappingURL=a.js.map?${'v'.repeat(after)}\n`)
    assert.deepEqual(places(told([{ script, line: 1, column: 2 }]).functions), ['a.ts:2'], String(after))
  }
})

test('a comment that code follows is no comment of the script', (t) => {
  const root = directory(t, { 'a.js': 'const text = `\n//# sourceMappingURL=a.js.map\n`\n', 'b.js': `${'x'.repeat(9 * MIB)} "//# sourceMappingURL=" + 5` })
  for (const name of ['a.js', 'b.js']) {
    const { functions, unmapped } = told([{ script: path.join(root, name), line: 1 }])
    assert.deepEqual([places(functions), unmapped], [[`${name}:1`], []])
  }
})

test('sources: roots, webpack\'s and esbuild\'s names, and names that are no URLs', (t) => {
  /** @type {[Record<string, any>, string][]} */
  const cases = [
    [{ sources: ['../src/a.ts'] }, 'ROOT/src/a.ts'],
    [{ sources: ['a.ts'], sourceRoot: '../src' }, 'ROOT/src/a.ts'],
    [{ sources: ['a.ts'], sourceRoot: '../src/' }, 'ROOT/src/a.ts'],
    [{ sources: ['app/a.ts'], sourceRoot: '/' }, '/app/a.ts'],
    [{ sources: ['/app/a.ts'], sourceRoot: '/src' }, '/app/a.ts'],
    [{ sources: ['webpack://shop/./src/a.ts'], sourceRoot: '' }, 'webpack://shop/src/a.ts'],
    [{ sources: ['webpack:///./src/a.ts'] }, 'webpack:///src/a.ts'],
    [{ sources: ['src/a.ts'], sourceRoot: 'https://host.example/' }, 'https://host.example/src/a.ts'],
    [{ sources: ['../src/[id] #1?.ts'] }, 'ROOT/src/[id] #1?.ts'],
    [{ sources: ['file:///app/a%20b.ts'] }, '/app/a b.ts']
  ]
  for (const [change, expected] of cases) {
    const root = directory(t, { 'dist/a.js': commented('a.js.map'), 'dist/a.js.map': JSON.stringify({ ...LINE_EACH, ...change }) })
    const { functions: [{ script, line }], unmapped } = told([{ script: path.join(root, 'dist/a.js'), line: 1, column: 2 }])
    assert.deepEqual([script, line, unmapped], [expected.replace('ROOT', root), 2, []])
  }
})

test('an index of maps: each section counts from where it begins', (t) => {
  const sections = [
    { offset: { line: 0, column: 0 }, map: { ...LINE_EACH, sources: ['first.ts'] } },
    { offset: { line: 0, column: 10 }, map: { ...LINE_EACH, sources: ['second.ts'], mappings: 'AAAA,CACA;AAEA' } },
    { offset: { line: 4_000_000_000, column: 3 }, map: { ...LINE_EACH, sources: ['far.ts'] } }
  ]
  const root = directory(t, { 'a.js': commented('a.js.map'), 'a.js.map': `)]}'\n${JSON.stringify({ version: 3, sections })}` })
  const at = [[1, 1], [1, 3], [1, 11], [1, 12], [2, 1], [4_000_000_001, 5]]
  const { functions, unmapped } = told(at.map(([line, column], i) => ({ name: `f${i}`, script: path.join(root, 'a.js'), line, column })))
  assert.deepEqual(places(functions), ['first.ts:1', 'first.ts:3', 'second.ts:1', 'second.ts:2', 'second.ts:4', 'far.ts:2'])
  assert.deepEqual(unmapped, [])
})

test('functions that are one in the source are merged, and those that are not are told apart', (t) => {
  const mappings = 'AAAA,UAIA,UAIA,UCRA' // Columns 1, 11, 21: lines 1, 5, 9 of a.ts; 31: of b.ts.
  const root = directory(t, { 'a.js': commented('a.js.map'), 'a.js.map': JSON.stringify({ ...LINE_EACH, sources: ['a.ts', 'b.ts'], mappings }) })
  const at = (/** @type {string} */ name, /** @type {number} */ column) => ({ name, script: path.join(root, 'a.js'), line: 1, column })
  const { functions } = told([at('f', 1), at('f', 11), at('f', 31), at('', 11), at('', 21), at('f', 12)])
  assert.deepEqual(functions.map(({ function: name, script, line, tail_wait_ns: ns, rest_exec_ns: rest }) => [name, path.basename(script), line, ns, rest]), [
    ['f', 'a.ts', 5, 24_000, 6], ['f', 'b.ts', 1, 8000, 2], ['', 'a.ts', 5, 7000, 2], ['', 'a.ts', 9, 6000, 2]
  ])
})

test('what cannot be mapped is said, and told by the file that ran', (t) => {
  const huge = 300 * MIB
  /** @type {Record<string, [string | ((file: string) => void) | null, RegExp]>} what is at a.js.map */
  const cases = {
    missing: [null, /a\.js\.map is not there \(build with source maps, or copy it there\)$/],
    'no JSON': ['secret, no JSON', /a\.js\.map is no JSON$/],
    'no object': ['null', /a\.js\.map is malformed$/],
    'without mappings': ['{"version":3,"sources":[]}', /a\.js\.map is malformed$/],
    'bad characters': [JSON.stringify({ ...LINE_EACH, mappings: 'AAAA,!!' }), /a\.js\.map is malformed$/],
    'numbers missing': [JSON.stringify({ ...LINE_EACH, mappings: 'AA' }), /a\.js\.map is malformed$/],
    'numbers that do not end': [JSON.stringify({ ...LINE_EACH, mappings: 'g'.repeat(MIB) }), /a\.js\.map is malformed$/],
    'sections in disorder': [JSON.stringify({ sections: [5, 2].map((line) => ({ offset: { line, column: 0 }, map: LINE_EACH })) }), /a\.js\.map is malformed$/],
    'sections without maps': [JSON.stringify({ sections: [{ offset: { line: 0, column: 0 }, url: 'b.map' }] }), /a\.js\.map is malformed$/],
    'no such source': [JSON.stringify({ ...LINE_EACH, mappings: 'ACAA' }), /no source for 1 of 1 places$/],
    'negative source': [JSON.stringify({ ...LINE_EACH, mappings: 'ADAA' }), /no source for 1 of 1 places$/],
    'negative line': [JSON.stringify({ ...LINE_EACH, mappings: 'AADA' }), /no source for 1 of 1 places$/],
    'unnamed source': [JSON.stringify({ ...LINE_EACH, sources: [null] }), /no source for 1 of 1 places$/],
    'no position': [JSON.stringify({ ...LINE_EACH, mappings: ';AAAA' }), /a\.js\.map has no source for 1 of 1 places$/],
    huge: [(file) => { fs.writeFileSync(file, ''); fs.truncateSync(file, huge) }, /a\.js\.map is larger than \d+ MiB$/],
    'large, of zeros': [(file) => { fs.writeFileSync(file, ''); fs.truncateSync(file, 30 * MIB) }, /a\.js\.map is no JSON$/],
    'many mappings': [JSON.stringify({ ...LINE_EACH, mappings: ';'.repeat(17 * MIB) }), /mappings of .*a\.js\.map are larger than \d+ MiB$/],
    FIFO: [(file) => { assert.equal(spawnSync('mkfifo', [file]).status, 0) }, /a\.js\.map is no regular file$/],
    directory: [(file) => fs.mkdirSync(file), /a\.js\.map is no regular file$/],
    device: [(file) => fs.symlinkSync('/dev/zero', file), /a\.js\.map is no regular file$/],
    'link to itself': [(file) => fs.symlinkSync(file, file), /a\.js\.map cannot be read \(ELOOP\)$/]
  }
  for (const [name, [content, why]] of Object.entries(cases)) {
    const root = directory(t, { 'a.js': commented('a.js.map') })
    const [script, map] = [path.join(root, 'a.js'), path.join(root, 'a.js.map')]
    if (typeof content === 'string') fs.writeFileSync(map, content)
    else content?.(map)
    const { functions, unmapped } = told([{ script, line: 1, column: 3 }])
    assert.deepEqual([functions[0].script, functions[0].line, functions[0].column], [script, 1, 3], name)
    assert.deepEqual(unmapped.map(({ script, places }) => [script, places]), [[script, 0]], name)
    assert.match(unmapped[0].why, why, name)
    assert.doesNotMatch(unmapped[0].why, /secret/)
  }
})

test('the report names the application\'s scripts that no source tells, and not all of many', () => {
  const unmapped = (/** @type {string} */ script, places = 0) => ({ script, why: `${script}.map is no JSON`, places })
  const line = (/** @type {any[]} */ ...all) => notes({ stacks: { causes: [], unmapped: all } })[0]
  assert.equal(line(), undefined)
  assert.equal(line(unmapped('/app/node_modules/x/a.js'), unmapped('/app/dist/b.js', 3)), undefined)
  assert.equal(line(unmapped('/app/dist/a.js')), 'No source map for dist/a.js: /app/dist/a.js.map is no JSON.')
  assert.match(line(...['a', 'b', 'c', 'd', 'e'].map((name) => unmapped(`/app/${name}.js`))), /^No source map for app\/a\.js: .*; app\/b\.js: .*; app\/c\.js: [^;]*; 2 more: --json lists all\.$/)
})

test('addresses: nothing but files is read', (t) => {
  const root = directory(t, { 'map.json': JSON.stringify(LINE_EACH) })
  fs.mkdirSync(path.join(root, 'dist'))
  const script = path.join(root, 'dist/a.js')
  const whyOf = (/** @type {string} */ url) => {
    fs.writeFileSync(script, commented(url))
    return told([{ script, line: 1, column: 3 }]).whys[0]
  }
  assert.equal(whyOf('../map.json'), undefined)
  assert.equal(whyOf(pathToFileURL(path.join(root, 'map.json')).href), undefined)
  for (const url of ['https://host.example/a.js.map', '//host.example/a.js.map', 'http://[', 'file://host.example/a', 'a%2Fb.map', 'a%zz.map']) assert.match(whyOf(url), /^its map is at .*: only files are read$/, url)
  assert.match(whyOf('../../../../../../../../../../../no/such.map'), /^\/no\/such\.map is not there/)
  assert.match(whyOf('data:application/json;base64,AAAA'), /^the map in .*a\.js is no JSON$/)
  assert.match(whyOf('data:application/json,%zz'), /^the map in .*a\.js is malformed$/)
  assert.match(whyOf('a\u0000.map'), /a.*\.map/)
})

test('places that a map does not know stay as they were, beside those that it does', (t) => {
  const root = directory(t, { 'a.js': commented('a.js.map'), 'a.js.map': JSON.stringify({ ...LINE_EACH, mappings: 'A,CAAA' }) })
  const script = path.join(root, 'a.js')
  const { functions, unmapped } = told([{ name: '__awaiter', script, line: 1, column: 1 }, { script, line: 1, column: 2 }, { name: 'beyond', script, line: 7 }, { name: 'unknown', script, line: 0, column: 0 }])
  assert.deepEqual(places(functions), ['a.js:1', 'a.ts:1', 'a.js:7', 'a.js:null'])
  assert.deepEqual(unmapped, [{ script, why: `${script}.map has no source for 2 of 3 places`, places: 1 }])
})

test('a map that no comment names: beside the script, if it names that and is of its build', (t) => {
  const hidden = { ...LINE_EACH, file: 'a.js' }
  const root = directory(t, { 'a.js': 'code()\n', 'a.js.map': JSON.stringify(hidden) })
  const script = path.join(root, 'a.js')
  const place = () => {
    const { functions, unmapped } = told([{ script, line: 1, column: 2 }])
    return [...places(functions), ...unmapped]
  }
  assert.deepEqual(place(), ['a.ts:2'])
  fs.utimesSync(`${script}.map`, 1000, 1000)
  assert.deepEqual(place(), ['a.js:1'])
  for (const other of [JSON.stringify(LINE_EACH), JSON.stringify({ ...hidden, file: 'b.js' }), 'no JSON', 'null']) {
    fs.writeFileSync(`${script}.map`, other)
    assert.deepEqual(place(), ['a.js:1'])
  }
  fs.writeFileSync(`${script}.map`, JSON.stringify(hidden))
  fs.rmSync(script)
  assert.deepEqual(place(), ['a.ts:2'])
  fs.rmSync(`${script}.map`)
  assert.deepEqual(place(), ['a.js:1', { script, why: `${script} is not there`, places: 0 }])
})

test('scripts that are no files, or have no map, are no fault', (t) => {
  const root = directory(t, { 'a.js': 'code()\n', 'empty.js': '' })
  const scripts = ['', 'node:events', 'evaluated.js', 'evalmachine.<anonymous>', 'file://host.example/a.js', 'file:///a%2Fb.js', 'data:text/javascript,code()', path.join(root, 'a.js'), path.join(root, 'empty.js')]
  const { unmapped, functions } = told(scripts.map((script, i) => ({ name: `f${i}`, script, line: 1 })))
  assert.deepEqual(unmapped, [])
  assert.deepEqual(functions.map(({ script }) => script ?? ''), scripts)
})

test('switched off, the file that ran is told; packages are told still', (t) => {
  const root = directory(t, { 'node_modules/x/a.js': commented('a.js.map'), 'node_modules/x/a.js.map': JSON.stringify(LINE_EACH), 'node_modules/x/package.json': '{"name":"x","version":"1.0.0"}' })
  const { functions, unmapped, ...about } = told([{ script: path.join(root, 'node_modules/x/a.js'), line: 1 }], { sourceMaps: false, whole: false })
  assert.deepEqual([places(functions), functions[0].package, unmapped], [['a.js:1'], { name: 'x', version: '1.0.0' }, []])
  assert.deepEqual([about.tree, about.causes[0].stacks, about.samples], [undefined, undefined, 3])
})

test('packages: by the directory they were installed in', (t) => {
  const named = (/** @type {string} */ name, version = '1.2.3') => JSON.stringify({ name, version })
  const root = directory(t, {
    'node_modules/x/package.json': named('x'),
    'node_modules/x/dist/package.json': '{"type":"module"}',
    'node_modules/x/node_modules/@scope/y/package.json': named('@scope/y', '2.0.0-rc.1'),
    'node_modules/.pnpm/z@1.2.3/node_modules/z/package.json': named('z'),
    'node_modules/alias/package.json': named('x', '4.0.0'),
    'node_modules/broken/package.json': 'no JSON',
    'node_modules/nameless/package.json': '{"version":5}',
    'node_modules/bundled/package.json': named('bundled'),
    'node_modules/bundled/a.js': commented('a.js.map'),
    'node_modules/bundled/a.js.map': JSON.stringify({ ...LINE_EACH, sources: ['webpack://bundled/./src/a.ts'] }),
    'dist/server.js': commented('server.js.map'),
    'dist/server.js.map': JSON.stringify({ ...LINE_EACH, sources: ['../node_modules/x/lib/a.js', 'webpack://shop/./node_modules/@scope/z/b.js', '../src/own.ts'], mappings: 'AAAA,CCAA,CCAA' }),
    'package.json': named('application')
  })
  const at = (/** @type {string} */ file, column = 1) => ({ name: `f${file}${column}`, script: path.join(root, file), line: 1, column })
  const frames = [
    at('node_modules/x/dist/a.js'), at('node_modules/x/node_modules/@scope/y/lib/b.js'), at('node_modules/.pnpm/z@1.2.3/node_modules/z/c.js'), at('node_modules/alias/d.js'),
    at('node_modules/broken/e.js'), at('node_modules/nameless/f.js'), at('node_modules/bundled/a.js'), at('dist/server.js'), at('dist/server.js', 2), at('dist/server.js', 3)
  ]
  const { functions, tree } = told(frames)
  assert.deepEqual(functions.map(placeOf), [
    'x@1.2.3 dist/a.js:1', '@scope/y@2.0.0-rc.1 lib/b.js:1', 'z@1.2.3 c.js:1', 'x@4.0.0 d.js:1',
    'broken/e.js:1', 'nameless/f.js:1', 'bundled@1.2.3 src/a.ts:1', 'x@1.2.3 lib/a.js:1', '@scope/z/b.js:1', 'src/own.ts:1'
  ])
  assert.deepEqual(functions[8].package, { name: '@scope/z', version: null })
  assert.equal(functions[9].package, null)
  assert.deepEqual(tree.package.map((/** @type {number} */ number) => tree.packages[number]), [null, ...functions.map((/** @type {any} */ each) => each.package)])
})
