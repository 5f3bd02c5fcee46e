'use strict'

// Preloaded into Etherpad: the page of a pad is rendered once. Its template asks
// only whether the pad may be written, nothing of the pad or of the request.

const { onLoad } = require('../on-load')

const PAGE = 'ep_etherpad-lite/templates/pad.html'
const RENDERER = /\/src\/node\/eejs\/index\.js$/

onLoad(RENDERER, (renderer) => keepPage(renderer.exports))

function keepPage (renderer) {
  const render = renderer.require
  const kept = new Map()
  renderer.require = (name, args, mod) => {
    if (name !== PAGE) return render(name, args, mod)
    if (!kept.has(args.isReadOnly)) kept.set(args.isReadOnly, render(name, args, mod))
    return kept.get(args.isReadOnly)
  }
}
