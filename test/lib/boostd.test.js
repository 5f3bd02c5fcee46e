'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { hasEnded, packageCopy } = require('./package-copy')
const { BOOSTD, KEY } = require('../../lib/native/native-files')

/**
 * Puts a program in the daemon's place.
 * @param {string} root
 * @param {string} script
 */
function standIn (root, script) {
  const file = path.join(root, 'build', KEY, path.basename(BOOSTD))
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

test('boostd --help names every flag', (t) => {
  const { run } = packageCopy(t)
  const { status, stdout, stderr } = run(['boostd', '--help'])
  assert.equal(status, 0)
  assert.equal(stderr, '')
  for (const flag of ['--socket', '--allow-user', '--actuator', '--max-level', '--min-interval', '--status', '--json']) {
    assert.match(stdout, new RegExp(`^  ${flag}\\b`, 'm'))
  }
  assert.match(stdout, /^Examples:\n {2}sudo edgewise boostd/m)
})

test('boostd: a flag that is not allowed exits with 2 and says what is', (t) => {
  const { root, run } = packageCopy(t)
  standIn(root, 'echo started')
  /** @type {[string[], RegExp][]} */
  const cases = [
    [['--max-level', 'low'], /'low' is invalid. Allowed choices are mid, high/],
    [['--actuator', 'daemon'], /'daemon' is invalid. Allowed choices are auto, cpufreq, epp, log/],
    [['--min-interval', '0'], /'0' is invalid. Allowed is a whole number of microseconds/],
    [['--min-interval', '1e3'], /'1e3' is invalid/],
    [['--min-interval', '1000001'], /'1000001' is invalid/],
    [['--socket', ''], /It is empty/],
    [['--allow-user', ' '], /It is empty/],
    [['--allow-users', 'x'], /unknown option '--allow-users'[\s\S]*Did you mean --allow-user\?/],
    [['word'], /too many arguments/]
  ]
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = run(['boostd', ...args])
    assert.equal(status, 2, `${args.join(' ')}: ${stderr}`)
    assert.equal(stdout, '')
    assert.match(stderr, message)
  }
})

test('boostd passes its flags on, and gives the daemon\'s output and exit code', (t) => {
  const { root, run } = packageCopy(t)
  standIn(root, 'for word; do echo "<$word>"; done; echo a line >&2; exit 7')
  const { status, stdout, stderr } = run(['boostd', '--socket', '/x y', '--allow-user', 'a', '--allow-user', '12',
    '--actuator', 'log', '--max-level', 'mid', '--min-interval', '50', '--status', '--json'])
  assert.equal(status, 7)
  assert.equal(stderr, 'a line\n')
  assert.deepEqual(stdout.trim().split('\n'), ['<--socket=/x y>', '<--actuator=log>', '<--max-level=mid>', '<--min-interval=50>',
    '<--allow-user=a>', '<--allow-user=12>', '<--status>', '<--json>'])
  assert.equal(run(['boostd']).stdout, '')
})

test('boostd forwards signals, and ends after the daemon', async (t) => {
  const { begin, root } = packageCopy(t)
  standIn(root, 'trap "echo restored; exit 0" TERM; echo "pid $$"; while :; do sleep 0.05; done')
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGQUIT'])) {
    const { child, ended, printed } = begin(['boostd'])
    const [, pid] = await printed(/pid (\d+)/)
    child.kill(signal)
    const { code, stdout } = await ended
    assert.equal(code, 0)
    assert.match(stdout, /restored/)
    assert.ok(await hasEnded(pid))
  }
})

test('boostd that is not built names the next step', (t) => {
  const { run } = packageCopy(t)
  const { status, stderr } = run(['boostd'])
  assert.equal(status, 1)
  assert.match(stderr, /^edgewise: edgewise-boostd is not built for Node v.*; next step: run 'npm install @edgewise\/linux-\S+', or 'npm rebuild edgewise --foreground-scripts', .*\n$/)
})
