'use strict'

// What a prebuilt file may need of the machine that runs it.

const { TaskError, capture } = require('../step')

/** manylinux_2_28 */
const GLIBC = [2, 28]
/** The C library in its parts, and the program interpreter. */
const LIBRARIES = /^(lib(c|m|dl|pthread|rt)\.so\.\d+|libc\.so|libc\.musl-\w+\.so\.1|ld-linux-[\w-]+\.so\.\d|ld-musl-\w+\.so\.1)$/

/** In a name of libc++; Node.js is built with libstdc++. */
const OTHER_CXX = /UND\s+(\S*St3__1\S*)/

/**
 * @param {string} file an ELF file
 * @throws {TaskError} it needs another library, symbols of a newer C library, or what Node.js has by another name
 */
function checkBaseline (file) {
  const { ok, stdout, stderr } = capture(['readelf', '--wide', '--dynamic', '--dyn-syms', '--version-info', file])
  if (!ok) throw new TaskError(`readelf ${file}: ${stderr}`)
  const libraries = [...stdout.matchAll(/\(NEEDED\)\s+Shared library: \[([^\]]+)\]/g)].map(([, name]) => name)
  const foreign = libraries.filter((name) => !LIBRARIES.test(name))
  if (foreign.length) throw new TaskError(`${file} needs ${foreign.join(', ')}: only the C library is everywhere`)
  const versions = [...new Set([...stdout.matchAll(/Name: (GLIBC\w*)_(\d+(?:\.\d+)*)/g)].map(([, name, version]) => `${name}_${version}`))]
  const newer = versions.filter((version) => !isOld(version))
  const [, unknown] = OTHER_CXX.exec(stdout) ?? []
  if (unknown) throw new TaskError(`${file} needs ${unknown}: Node.js has no symbol of libc++`)
  if (newer.length) throw new TaskError(`${file} needs ${newer.join(', ')}: the oldest machine has GLIBC_${GLIBC.join('.')}`)
}

/** @param {string} version 'GLIBC_2.17' */
function isOld (version) {
  const [, name, major, minor] = /^(GLIBC\w*)_(\d+)\.(\d+)/.exec(version) ?? []
  return name === 'GLIBC' && (Number(major) < GLIBC[0] || (Number(major) === GLIBC[0] && Number(minor) <= GLIBC[1]))
}

module.exports = { checkBaseline }
