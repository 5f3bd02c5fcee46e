'use strict'

const path = require('node:path')

module.exports = {
  output: 'standalone',
  outputFileTracingRoot: path.dirname(__dirname),
  productionBrowserSourceMaps: false,
  rewrites: async () => [{ source: '/old/:slug', destination: '/blog/:slug' }],
  redirects: async () => [{ source: '/gone/:slug', destination: '/blog/:slug', permanent: false }]
}
