'use strict'

// Each way to install: package managers, without install scripts, into a
// directory that cannot be written later.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { packedArchives } = require('../../scripts/tasks/prebuilds/packages')
const { profiles, writeApplication } = require('./application')
const { machine } = require('./machine')
const { startRegistry } = require('./registry')

const NODE = '24'
const MANAGERS = '/opt/managers/node_modules'
const YARN = ['node', `${MANAGERS}/@yarnpkg/cli-dist/bin/yarn.js`]
const platforms = packedArchives().flatMap((file) => /edgewise-(linux-[\w-]+?)-\d/.exec(path.basename(file))?.[1] ?? [])

/** @param {any} t @param {(registry: string) => Record<string, string>} [files] of the application, before anything is installed */
async function ready (t, files = () => ({})) {
  const registry = await startRegistry(t)
  const here = await machine(t, { node: NODE, registry })
  writeApplication(here.home, files(registry))
  return here
}

async function succeeds (here, command) {
  const ran = await here.run(command)
  assert.equal(ran.code, 0, `${ran.stdout}\n${ran.stderr}`)
  return ran
}

/** What npm has put there of the platforms' packages. */
const taken = (home) => fs.readdirSync(path.join(home, 'node_modules', '@edgewise'))

test('npm install edgewise takes the package of this platform only', async (t) => {
  const here = await ready(t)
  await succeeds(here, ['npm', 'install', '--save-dev', 'edgewise'])
  assert.deepEqual(taken(here.home), ['linux-x64'])
  await profiles(here)
})

for (const [flags, platform] of /** @type {[string[], string][]} */ ([
  [['--cpu', 'arm64'], 'linux-arm64'], [['--libc', 'musl'], 'linux-x64-musl'], [['--cpu', 'arm64', '--libc', 'musl'], 'linux-arm64-musl']
])) {
  const skip = platforms.includes(platform) ? false : `no package for ${platform} is packed`
  test(`npm install ${flags.join(' ')} takes ${platform}`, { skip }, async (t) => {
    const here = await ready(t)
    await succeeds(here, ['npm', 'install', '--ignore-scripts', ...flags, 'edgewise'])
    assert.deepEqual(taken(here.home), [platform])
  })
}

test('npm install --ignore-scripts', async (t) => {
  const here = await ready(t)
  await succeeds(here, ['npm', 'install', '--ignore-scripts', 'edgewise'])
  await profiles(here)
})

test('a node_modules that cannot be written', async (t) => {
  const here = await ready(t)
  await succeeds(here, ['npm', 'install', 'edgewise'])
  execFileSync('chmod', ['-R', 'a-w', path.join(here.home, 'node_modules')])
  assert.notEqual((await here.run(['touch', 'node_modules/edgewise/written'])).code, 0)
  await profiles(here)
})

test('pnpm', async (t) => {
  // What compiles where no package fits is a script, which pnpm wants an answer to.
  const here = await ready(t, (registry) => ({ '.npmrc': `registry=${registry}\n`, 'pnpm-workspace.yaml': 'allowBuilds:\n  edgewise: false\n' }))
  await succeeds(here, ['node', `${MANAGERS}/pnpm/bin/pnpm.mjs`, 'add', '--save-dev', 'edgewise'])
  await profiles(here, { edgewise: ['node_modules/.bin/edgewise'] })
})

for (const linker of ['pnp', 'node-modules']) {
  test(`yarn 4, ${linker}`, async (t) => {
    const here = await ready(t, (registry) => ({
      'yarn.lock': '',
      '.yarnrc.yml': `npmRegistryServer: "${registry}"\nunsafeHttpWhitelist: ["127.0.0.1"]\nnodeLinker: ${linker}\nenableGlobalCache: false\n`
    }))
    await succeeds(here, [...YARN, 'add', '--dev', 'edgewise'])
    await profiles(here, { edgewise: [...YARN, 'run', 'edgewise'] })
  })
}

test("bun's installer", async (t) => {
  const here = await ready(t, (registry) => ({ 'bunfig.toml': `[install]\nregistry = "${registry}"\n` }))
  await succeeds(here, [`${MANAGERS}/@oven/bun-linux-x64/bin/bun`, 'add', '--dev', 'edgewise'])
  await profiles(here, { edgewise: ['node_modules/.bin/edgewise'] })
})
