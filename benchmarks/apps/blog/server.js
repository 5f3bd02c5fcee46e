// @ts-nocheck: its packages are where it is installed, in the cache
'use strict'

// Raneto on loopback: its own starter listens everywhere. CONTENT (a directory)
// and PORT come from the environment.

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

const server = app.listen(Number(process.env.PORT), '127.0.0.1')
process.on('SIGTERM', () => {
  server.close()
  server.closeIdleConnections()
})
