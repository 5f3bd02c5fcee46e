'use strict'

// Every link, file, command, option and variable that the documentation names is there.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { pages, read } = require('./markdown')
const { missing } = require('./references')

for (const page of pages()) {
  test(`${page} names only what there is`, () => {
    assert.deepEqual(missing(page), [])
  })
}

test('README is a page of one screen: 150 lines at most', () => {
  assert.ok(read('README.md').trimEnd().split('\n').length <= 150)
})

test('docs/README.md leads to every page', () => {
  const index = read('docs/README.md')
  const unlisted = pages().filter((page) => /^docs\/(?!README)/.test(page) && !index.includes(`](${page.slice('docs/'.length)})`))
  assert.deepEqual(unlisted, [])
})

test('what is not there is found', () => {
  const cases = {
    'See [it](nowhere.md).': 'docs/x.md:1: nowhere.md leads nowhere',
    'See [it](cost.md#no-such-title).': 'docs/x.md:1: docs/cost.md has no title #no-such-title',
    'In `src/analysis/nothing.cc`.': 'docs/x.md:1: there is no src/analysis/nothing.cc',
    'Set `EDGEWISE_COLOUR=1`.': 'docs/x.md:1: there is no variable EDGEWISE_COLOUR',
    'Say `edgewise explain trace`.': 'docs/x.md:1: there is no command edgewise explain',
    'Say `edgewise report trace --socket x`.': 'docs/x.md:1: edgewise report has no --socket',
    'Give `--no-such-option`.': 'docs/x.md:1: nothing has the option --no-such-option',
    '```sh\nnpx edgewise flame trace --outt x.svg\n```': 'docs/x.md:2: edgewise flame has no --outt'
  }
  for (const [text, problem] of Object.entries(cases)) assert.equal(missing('docs/x.md', text)[0], problem)
  assert.deepEqual(missing('docs/x.md', 'Say `edgewise report trace --skip 5` with `EDGEWISE_OUT`, as [cost](cost.md#what-a-trace-takes) says in `lib/cli`.'), [])
})
