'use strict'

// A name server that Node asks itself, by c-ares.

const dns = require('node:dns')

function resolverOf ({ port }) {
  const resolver = new dns.promises.Resolver({ timeout: 3000, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver
}

module.exports = {
  dns: {
    type: 'dns',
    kind: 'dns',
    server: 'dns',
    datagrams: true,
    oneConnection: true,
    open: { new: resolverOf, kept: resolverOf, pooled: resolverOf },
    names: ['A', 'AAAA'],
    ask: [
      (resolver, marker) => resolver.resolve4(`${marker}.test`),
      // Its answer holds no such address.
      (resolver, marker) => resolver.resolve6(`${marker}.test`).catch(() => {})
    ],
    close: () => {}
  }
}
