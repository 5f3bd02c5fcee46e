'use strict'

const fs = require('node:fs')
const neostandard = require('neostandard')

// The scripts people type have no extension: ESLint must be told of them.
const entries = fs.readdirSync('scripts').filter(name => !name.includes('.') && name !== 'tasks')

const MAX_FUNCTION_LINES = 60

module.exports = [
  { ignores: ['build/**', 'lib/page/bundle.js', '.cache/**', 'benchmarks/apps/*/node_modules/**'] },
  ...neostandard(),
  {
    files: ['**/*.js', ...entries.map(name => `scripts/${name}`)],
    languageOptions: { sourceType: 'commonjs' },
    rules: { strict: ['error', 'global'] }
  },
  {
    files: ['lib/page/app/**', 'test/page/**', 'benchmarks/page/**'],
    languageOptions: { globals: require('globals').browser }
  },
  {
    files: ['bin/**', 'lib/**', 'scripts/**', 'benchmarks/**'],
    rules: { 'max-lines-per-function': ['error', { max: MAX_FUNCTION_LINES, skipComments: true }] }
  }
]
