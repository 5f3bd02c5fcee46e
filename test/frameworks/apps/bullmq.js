'use strict'

// Each request adds a job, and is answered when that is done.

const { createServer } = require('node:http')
const { Queue, Worker } = require('bullmq')
const { serving } = require('./serving')

const connection = { port: Number(process.env.REDIS_PORT), host: '127.0.0.1', password: process.env.REDIS_PASSWORD }
/** @type {Map<string | undefined, (result: string) => void>} */
const waiting = new Map()
const queue = new Queue('mails', { connection })
const worker = new Worker('mails', async (job) => {
  await new Promise((resolve) => setTimeout(resolve, 2))
  if (job.data === '42') throw new Error('of mine')
  return `sent ${job.data}`
}, { connection })
worker.on('completed', (job, result) => waiting.get(job.id)?.(result))
worker.on('failed', (job, error) => waiting.get(job?.id)?.(error.message))
let added = 0

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(String(request.url), 'http://host')
  const jobId = `job-${process.pid}-${added++}` // Redis knows those of the process before.
  const done = new Promise((resolve) => waiting.set(jobId, resolve))
  await queue.add('welcome', searchParams.get('name'), { jobId })
  response.end(String(await done))
})
serving(server.listen(0, '127.0.0.1'), async () => {
  await worker.close()
  await queue.close()
})
