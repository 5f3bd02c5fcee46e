'use strict'

// What must be in no trace and no report. Each question holds a secret of its own, by which the proxy knows it again: letters
// X and Z only, as HPACK writes those as they are. What is looked for is a run of them, so that no piece is overlooked.

const SERIAL_BITS = 16
const MARKER = /XZZX[XZ]{16}ZXXZ/gi
const RUN = /[xz]{8}/i

/** @param {number} serial @returns {string} */
function markerOf (serial) {
  const bits = serial.toString(2).padStart(SERIAL_BITS, '0')
  return `XZZX${bits.replace(/0/g, 'X').replace(/1/g, 'Z')}ZXXZ`
}

/** @param {string} text latin1; names in DNS lose their capitals @returns {string[]} */
function markersIn (text) {
  return (text.match(MARKER) ?? []).map((marker) => marker.toUpperCase())
}

const SECRETS = {
  password: 'XZXZZZXXXZXZXZZXZXZZ',
  user: 'ZZXXZXZXZZXXZZXZXZXX',
  database: 'XXZZXZXXZXZZXZXXZZXZ',
  // Looks like an id, where a name could stand.
  segment: '5ec2e7b04a19c3d85ec2e7b04a19c3d8',
  digits: '4929117733550248'
}
/** As headers have them, where they look otherwise. */
const CREDENTIALS = `Basic ${Buffer.from(`${SECRETS.user}:${SECRETS.password}`).toString('base64')}`

const PIECE = 8
const PIECES = [SECRETS.segment, SECRETS.digits, CREDENTIALS.slice('Basic '.length)].flatMap((secret) =>
  Array.from({ length: secret.length - PIECE + 1 }, (_, at) => secret.slice(at, at + PIECE).toLowerCase()))

/**
 * @param {Buffer | string} bytes
 * @returns {string | undefined} the first secret, or piece of one, with what is around it
 */
function secretIn (bytes) {
  const text = bytes.toString('latin1').toLowerCase()
  const found = [text.search(RUN), ...PIECES.map((piece) => text.indexOf(piece))].filter((at) => at >= 0)
  if (found.length === 0) return undefined
  const at = Math.min(...found)
  return JSON.stringify(text.slice(Math.max(0, at - 60), at + 60))
}

module.exports = { CREDENTIALS, SECRETS, markerOf, markersIn, secretIn }
