'use strict'

// Debian source packages of another release, fetched by apt with a
// configuration of its own that is derived from the machine's: the same
// archive, another suite. The machine's own sources stay as they are.
//
// A suite moves on to newer versions, of which a mirror may not have all files
// yet; those that we know (patches/sources.json) it still has for a while. So
// these are asked for first, and apt for what the suite has now only then.

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { PATCHES } = require('../../lib/native/patched-node')
const { TaskError, capture, runStep, say } = require('./step')

const ETC = '/etc/apt'
const HELPER = '/usr/lib/apt/apt-helper'

/**
 * @param {string} sources the directory that receives it
 * @param {string} suite 'trixie'
 * @param {string} name of the source package
 * @param {string} version its exact version, or how it begins
 * @returns {Promise<string>} its .dsc
 * @throws {TaskError} with the next step
 */
async function fetchSource (sources, suite, name, version) {
  const file = path.join(sources, `${name}_${version}.dsc`)
  const apt = await fetchKnown(sources, suite, name, version)
  if (!apt) return file
  const hint = `Next step: 'npm run build:node -- --source DIR' takes a checkout instead of ${suite}'s source package.`
  const shown = capture(['apt-cache', ...apt, 'showsrc', name])
  const versions = [...shown.stdout.matchAll(/^Version: (.*)$/mg)].map(match => match[1])
  const exact = versions.find(each => each === version) ?? versions.find(each => each.startsWith(version.split('+')[0]))
  if (!exact) throw new TaskError(`${suite} has no source package ${name} ${version} (it has ${versions.join(', ') || 'none'}).\n${hint}`)
  await runStep(`apt-source-${name}`, `${name} ${exact}: fetching the source package`,
    ['apt-get', ...apt, 'source', '--download-only', `${name}=${exact}`], { cwd: sources, hint })
  const fetched = findFile(sources, `${name}_`, exact.split('-')[0], '.dsc')
  if (fetched) return fetched
  throw new TaskError(`apt-get fetched ${name}, but there is no .dsc in ${sources}.\n${hint}`)
}

/**
 * The upstream archive of a source package. It is enough when a mirror lacks
 * the rest of the package.
 * @param {string} sources
 * @param {string} suite
 * @param {string} name
 * @param {string} version of upstream
 * @returns {Promise<string>}
 * @throws {TaskError}
 */
async function fetchArchive (sources, suite, name, version) {
  const file = path.join(sources, `${name}_${version}.orig.tar.gz`)
  const apt = await fetchKnown(sources, suite, name, version)
  if (!apt) return file
  const fetched = capture(['apt-get', ...apt, 'source', '--download-only', name], { cwd: sources })
  if (fs.existsSync(file)) return file
  throw new TaskError(`${name} ${version} was not fetched from ${suite}:\n${fetched.stderr}`)
}

// undefined: all files of this version are here; else apt's options, to look further.
async function fetchKnown (sources, suite, name, version) {
  const known = JSON.parse(fs.readFileSync(path.join(PATCHES, 'sources.json'), 'utf8'))[`${name} ${version}`]
  if (known && missingOf(sources, known).length === 0) return undefined
  const apt = await aptFor(sources, suite)
  say(`${name} ${version}: fetching ...`)
  const problem = known ? fetchFiles(sources, apt, name, known) : 'its files are not known'
  if (problem === undefined) return undefined
  say(`${name} ${version} is not to be had any more, trying what ${suite} has now: ${problem}`)
  return apt
}

/**
 * Fetches files from where the archive has a package, whichever version of it apt knows.
 * @param {string} sources the directory that receives them
 * @param {string[]} apt its options
 * @param {string} name of the source package
 * @param {Record<string, string>} files their SHA-256, by name
 * @returns {string | undefined} undefined: all are there; else what went wrong
 */
function fetchFiles (sources, apt, name, files) {
  const listed = capture(['apt-get', ...apt, 'source', '--print-uris', name], { cwd: sources })
  const place = /^'([^']*\/)[^'/]*'/m.exec(listed.stdout)?.[1]
  if (!place) return listed.stderr.trim() || 'apt tells no address'
  for (const [file, sha256] of missingOf(sources, files)) {
    const fetched = capture([HELPER, ...apt, 'download-file', place + encodeURIComponent(file), path.join(sources, file), `SHA256:${sha256}`])
    if (!fetched.ok) return fetched.stderr.trim()
  }
}

// Those that are not there, or not with that content.
function missingOf (sources, files) {
  return Object.entries(files).filter(([file, sha256]) => {
    const at = path.join(sources, file)
    return !fs.existsSync(at) || createHash('sha256').update(fs.readFileSync(at)).digest('hex') !== sha256
  })
}

// apt's options for a suite, its lists up to date.
async function aptFor (sources, suite) {
  const home = path.join(sources, 'apt')
  for (const part of ['lists/partial', 'archives/partial', 'parts']) fs.mkdirSync(path.join(home, part), { recursive: true })
  fs.writeFileSync(path.join(home, 'parts', 'edgewise.sources'), sourceEntry(readEntries(ETC), suite))
  const options = {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': path.join(home, 'parts'),
    'Dir::State::lists': path.join(home, 'lists'),
    'Dir::Cache': home,
    // What belongs to this user alone is no place for apt's own user.
    'APT::Sandbox::User': ''
  }
  const apt = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await runStep('apt-update-sources', `Debian ${suite}: updating the list of source packages`, ['apt-get', ...apt, 'update'])
  return apt
}

/**
 * The machine's entry for Debian's main archive, turned into one of another
 * suite's sources.
 * @param {string[]} entries paragraphs as in a .sources file
 * @param {string} suite
 * @returns {string} a paragraph
 * @throws {TaskError} when there is none to derive it from
 */
function sourceEntry (entries, suite) {
  const main = mainEntry(entries)
  if (!main) {
    throw new TaskError(`No entry for Debian's main archive was found in ${ETC} to derive one for ${suite} from.\n` +
      "Next step: 'npm run build:node -- --source DIR' takes a checkout of Node instead.")
  }
  const lines = main.split('\n').filter(line => line && !/^(#|Types:|Suites:|Components:)/i.test(line))
  return `${['Types: deb-src', `Suites: ${suite}`, 'Components: main', ...lines].join('\n')}\n`
}

/** @returns {string | undefined} where this machine has Debian's main archive from */
function debianMirror () {
  const main = mainEntry(readEntries(ETC))
  return main && field(main, 'URIs').split(/\s+/)[0]
}

/** @param {string[]} entries @returns {string | undefined} that of Debian's main archive */
function mainEntry (entries) {
  return entries.find(entry => {
    return /\bmain\b/.test(field(entry, 'Components')) && /\/debian\/?(\s|$)|\/debian\/\d/.test(field(entry, 'URIs')) &&
      field(entry, 'Enabled').toLowerCase() !== 'no'
  })
}

const field = (/** @type {string} */ entry, /** @type {string} */ name) => new RegExp(`^${name}:(.*)`, 'mi').exec(entry)?.[1].trim() ?? ''

// Both ways in which apt is configured, as paragraphs.
function readEntries (directory) {
  const parts = path.join(directory, 'sources.list.d')
  const names = fs.existsSync(parts) ? fs.readdirSync(parts).sort() : []
  const texts = names.filter(name => name.endsWith('.sources')).map(name => read(path.join(parts, name)))
  const lists = [path.join(directory, 'sources.list'), ...names.filter(name => name.endsWith('.list')).map(name => path.join(parts, name))]
  return [...texts.flatMap(text => text.split(/\n\s*\n/)), ...lists.flatMap(file => listEntries(read(file)))]
}

// 'deb [signed-by=FILE] URI SUITE COMPONENT...' a line.
function listEntries (text) {
  return [...text.matchAll(/^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.*)$/mg)].map(([, options = '', uri, suite, components]) => {
    const key = /signed-by=(\S+)/.exec(options)?.[1]
    return [`URIs: ${uri}`, `Suites: ${suite}`, `Components: ${components}`, ...(key ? [`Signed-By: ${key}`] : [])].join('\n')
  })
}

function read (file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

function findFile (directory, prefix, version, suffix) {
  const name = fs.readdirSync(directory).find(each => each.startsWith(`${prefix}${version}`) && each.endsWith(suffix))
  return name && path.join(directory, name)
}

module.exports = { debianMirror, fetchArchive, fetchFiles, fetchSource, sourceEntry }
