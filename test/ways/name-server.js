'use strict'

// What a name server says: any name is 10.0.0.1.

const ANSWER = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 10, 0, 0, 1])
const TRUNCATED = 0x82

/** @param {Buffer} question @returns {Buffer} */
function answerTo (question, { flags = 0x81, code = 0 } = {}) {
  const end = question.indexOf(0, 12) + 5
  const found = code === 0 && flags !== TRUNCATED
  const head = [flags, 0x80 | code, 0, 1, 0, found ? 1 : 0, 0, 0, 0, 0]
  return Buffer.concat([question.subarray(0, 2), Buffer.from(head), question.subarray(12, end), found ? ANSWER : Buffer.alloc(0)])
}

module.exports = { TRUNCATED, answerTo }
