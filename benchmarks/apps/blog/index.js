'use strict'

// Raneto, a blog kept in Markdown files: it reads the disk for every page.

const fs = require('node:fs')
const path = require('node:path')

const { startNode } = require('../app')
const { installed } = require('../cache')
const { length, randomFrom, words } = require('../seed')

const CATEGORIES = 10
const POSTS = 100

/** @returns {Promise<string>} the directory, with server.js beside node_modules */
function install () {
  return installed({
    name: 'blog',
    folder: __dirname,
    npmArgs: ['--ignore-scripts'],
    files: ['server.js']
  })
}

/** @type {import('../app').App['start']} */
async function start (context) {
  const folder = await install()
  const content = path.join(context.runFolder, 'content')
  fill(content)
  const app = await startNode('blog', context, port => ({
    script: path.join(folder, 'server.js'),
    env: { PORT: String(port), CONTENT: content }
  }))
  return { ...app, url: `http://127.0.0.1:${app.port}`, reset: async () => fill(content) }
}

/** Writes the posts anew; every file that an edit changed is among them. */
function fill (content) {
  const random = randomFrom(3)
  for (let post = 0; post < POSTS; post++) {
    const file = path.join(content, `${slug(post)}.md`)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, `---\nTitle: Post ${post}\nSort: ${post}\n---\n${article(random)}`)
  }
}

function slug (post) {
  return `topic-${post % CATEGORIES}/post-${post}`
}

/** Markdown with headings, emphasis, lists and code. */
function article (random) {
  const parts = []
  for (let left = length(random, 60, 1500); left > 0; left -= 100) {
    parts.push(`## ${words(random, 4)}\n`, `${words(random, 50)} **${words(random, 2)}** [${words(random, 2)}](/)\n`)
    if (random() < 0.4) parts.push(Array.from({ length: 5 }, () => `- ${words(random, 6)}`).join('\n') + '\n')
    if (random() < 0.2) parts.push('```\n' + words(random, 20) + '\n```\n')
    parts.push(words(random, 40) + '\n')
  }
  return parts.join('\n')
}

/** @type {import('../app').App['mix']} */
function mix () {
  return {
    variables: {
      post: { choice: Array.from({ length: POSTS }, (_, post) => slug(post)) },
      word: { choice: ['lantern', 'harbor', 'winter', 'kitchen'] },
      text: { words: [60, 1500] },
      n: { integer: [0, POSTS - 1] }
    },
    requests: [
      { name: 'post', weight: 6, path: '/{{post}}', expect: { status: [200] } },
      { name: 'home', weight: 2, path: '/', expect: { status: [200] } },
      { name: 'open editor', weight: 1, path: '/{{post}}/edit', expect: { status: [200] } },
      {
        name: 'save edit',
        weight: 1,
        method: 'POST',
        path: '/rn-edit',
        form: { file: '/{{post}}', meta_title: 'Edited {{n}}', meta_sort: '{{n}}', content: '{{text}}' },
        expect: { status: [200], contains: '"status":0' }
      },
      { name: 'search', weight: 0.1, path: '/?search={{word}}', expect: { status: [200] } }
    ]
  }
}

module.exports = {
  name: 'blog',
  description: 'Raneto 0.16.0, a blog in Markdown files: disk',
  packages: [],
  workers: [1],
  install,
  start,
  mix
}
