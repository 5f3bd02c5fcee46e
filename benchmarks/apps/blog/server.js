// @ts-nocheck: its packages are where it is installed, in the cache
'use strict'

// Raneto on loopback: its own starter listens everywhere. CONTENT (a directory)
// and PORT come from the environment; KEEP_HOME_MS, where it is set, is how long
// the home page, which reads every post, is kept.

const { createRequire } = require('node:module')
const path = require('node:path')
const process = require('node:process')

const raneto = require('raneto')

const themes = path.join(path.dirname(require.resolve('raneto/package.json')), 'themes')

const app = raneto({
  site_title: 'A blog',
  base_url: '',
  excerpt_length: 400,
  page_sort_meta: 'sort',
  category_sort: true,
  show_on_home_default: true,
  theme_dir: themes,
  theme_name: 'default',
  public_dir: path.join(themes, 'default/public'),
  content_dir: process.env.CONTENT,
  image_url: '/images',
  allow_editing: true,
  authentication: false,
  authentication_for_edit: false,
  authentication_for_read: false,
  googleoauth: false,
  locale: 'en',
  searchExtraLanguages: ['ru'],
  datetime_format: 'Do MMM YYYY',
  home_meta: {},
  table_of_contents: false
})

const server = (process.env.KEEP_HOME_MS ? keepingHome(app, Number(process.env.KEEP_HOME_MS)) : app).listen(Number(process.env.PORT), '127.0.0.1')
process.on('SIGTERM', () => {
  server.close()
  server.closeIdleConnections()
})

function keepingHome (inner, ms) {
  const outer = createRequire(require.resolve('raneto'))('express')()
  let kept = { html: '', until: 0 }
  outer.get('/', (request, response, next) => {
    if (Date.now() < kept.until) {
      response.type('html').send(kept.html)
      return
    }
    const send = response.send
    response.send = function (html) {
      if (response.statusCode === 200) kept = { html, until: Date.now() + ms }
      return send.call(this, html)
    }
    next()
  })
  return outer.use(inner)
}
