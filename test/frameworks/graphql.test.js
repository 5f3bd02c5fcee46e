'use strict'

// GraphQL's requests go by their operations.

const test = require('node:test')
const { checkRoutes } = require('./asked')

const QUERIES = {
  'query User': 'query User($name: String) { user(name: $name) }',
  'mutation Rename': 'mutation Rename($name: String) { rename(name: $name) }',
  query: '{ user(name: "anonymous") }'
}

/** @param {string} route @param {string} name */
const body = (route, name) => {
  const operation = route.slice(route.indexOf(' ', 'POST '.length) + 1)
  if (operation === 'query Second') return { query: `query First { __typename } ${QUERIES['query User'].replace('User', 'Second')}`, operationName: 'Second', variables: { name } }
  return { query: QUERIES[/** @type {keyof QUERIES} */ (operation)] ?? 'no query', variables: { name } }
}

for (const [kind, path] of Object.entries({ apollo: '/', 'apollo-express': '/graphql', yoga: '/graphql' })) {
  test(kind, (t) => checkRoutes(t, {
    file: 'graphql.js',
    env: { KIND: kind },
    how: { body },
    routes: Object.fromEntries([...Object.keys(QUERIES), 'query Second'].map((operation) => [`POST ${path} ${operation}`, [path]]))
  }))
}
