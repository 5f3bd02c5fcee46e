'use strict'

// A machine to install on: a small Debian without a compiler, a Node, npm, and
// a home for one test. No network but this machine's own.

const { spawn, execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { once } = require('node:events')
const { fetchRelease } = require('../../scripts/tasks/node-release')
const { managersDirectory, treeOf } = require('../../scripts/tasks/prebuilds/trees')

/** Nobody's, and not root's. */
const USER = 1000
/** ELF's head for arm64, and which of its bits count. */
const ARM64 = { magic: '\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00', mask: '\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff' }
const QEMU = '/usr/bin/qemu-aarch64-static'
const ENTER = `
set -e
mount --bind "$MACHINE_HOME" "$MACHINE/home/app"
mount --bind "$MACHINE_NODE" "$MACHINE/opt/node"
mount --bind "$MACHINE_NPM" "$MACHINE/opt/npm"
mount --bind "$MACHINE_MANAGERS" "$MACHINE/opt/managers"
mount --rbind /dev "$MACHINE/dev"
mount -t proc proc "$MACHINE/proc"
chroot $MACHINE_AS "$MACHINE" /usr/bin/env -i \\
  PATH=/opt/node/bin:/usr/local/bin:/usr/bin:/bin HOME=/home/app TMPDIR=/tmp LANG=C.UTF-8 npm_config_registry="$MACHINE_REGISTRY" \\
  npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false YARN_ENABLE_TELEMETRY=0 \\
  sh -c 'cd /home/app; exec "$@"' sh "$@"
exit $? # This shell stays: as the first process of its namespace, a program would ignore signals.`
// Only within a user namespace: what this machine runs by itself stays as it is.
const BY_QEMU = `
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
printf %s ':arm64:M::${ARM64.magic}:${ARM64.mask}:${QEMU}:F' > /proc/sys/fs/binfmt_misc/register`

/**
 * @typedef {object} Machine
 * @property {string} home of its user, as this process sees it
 * @property {(command: string[], options?: { timeoutMs?: number }) => Promise<Ran>} run in its home
 * @property {(command: string[]) => import('node:child_process').ChildProcess} begin the same, until it is ended
 */

/** @typedef {{ code: number | null, signal: string | null, stdout: string, stderr: string, seconds: number }} Ran */

/**
 * @param {{ after: (fn: () => any) => void }} t
 * @param {{ node: string, registry: string, arch?: 'x64' | 'arm64' }} options node: a version
 * @returns {Promise<Machine>}
 */
async function machine (t, { node, registry, arch = 'x64' }) {
  const emulated = arch !== process.arch
  const user = emulated ? 0 : USER // A user namespace of one user.
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-machine-'))
  t.after(() => fs.rmSync(home, { recursive: true, force: true }))
  const env = {
    PATH: process.env.PATH,
    MACHINE: treeOf(arch === 'x64' ? 'amd64' : 'arm64'),
    MACHINE_HOME: home,
    MACHINE_NODE: await fetchRelease(node, `Node ${node}`, arch),
    MACHINE_NPM: npmDirectory(),
    MACHINE_MANAGERS: managersDirectory(),
    MACHINE_AS: emulated ? '' : `--userspec=${user}:${user}`,
    MACHINE_REGISTRY: registry
  }
  const begin = (/** @type {string[]} */ command) => {
    execFileSync('chown', ['-R', `${user}:${user}`, home])
    const spaces = ['--mount', '--pid', '--fork', '--kill-child', ...emulated ? ['--user', '--map-root-user'] : []]
    return spawn('unshare', [...spaces, '--', 'sh', '-c', emulated ? BY_QEMU + ENTER : ENTER, 'sh', ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  }
  const run = async (/** @type {string[]} */ command, { timeoutMs = 120_000 } = {}) => {
    const began = performance.now()
    const child = begin(command)
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    const output = gathered(child)
    const [code, signal] = await once(child, 'close')
    clearTimeout(timer)
    return { code, signal, ...output, seconds: (performance.now() - began) / 1000 }
  }
  return { home, run, begin }
}

/** @param {import('node:child_process').ChildProcess} child @returns {{ stdout: string, stderr: string }} what it has printed so far */
function gathered (child) {
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (data) => { output.stdout += data })
  child.stderr?.on('data', (data) => { output.stderr += data })
  return output
}

/** @returns {string} npm, which is no part of a Node of npm's */
function npmDirectory () {
  return path.dirname(path.dirname(fs.realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim())))
}

/**
 * @param {import('node:child_process').ChildProcess} child that a machine has begun
 * @param {NodeJS.Signals} signal what its program gets
 */
async function end (child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  process.kill(innermost(Number(child.pid)), signal)
  await closed
}

/** @param {number} pid @returns {number} the program that the shells before it wait for */
function innermost (pid) {
  const [child] = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return child ? innermost(Number(child)) : pid
}

module.exports = { end, gathered, machine }
