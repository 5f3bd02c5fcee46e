'use strict'

// What random programs found, made small: programs that come together, each with
// the ms after which it comes.

const timer = (ms) => ({ do: 'timer', how: 'setTimeout', ms })
const promised = (ms) => ({ do: 'timer', how: 'promises', ms })
const compute = (ms) => ({ do: 'compute', how: 'clock', ms })
const call = (how, ms) => ({ do: 'call', how, ms })
const race = (...branches) => ({ do: 'race', branches: branches.map((branch) => [branch].flat()) })
const immediate = { do: 'timer', how: 'immediate' }

/** @type {{ name: string, programs: Partial<import('./plan').Program>[] }[]} */
module.exports = [
  {
    name: 'a timer that becomes due while another one computes',
    programs: [{ at: 0, steps: [timer(20), compute(60)] }, { at: 1, steps: [timer(45)] }, { at: 2, steps: [timer(55)] }]
  },
  {
    name: 'timers of promises that become due while another one computes',
    programs: [{ at: 0, style: 'await', steps: [promised(20), compute(60)] }, { at: 1, style: 'await', steps: [promised(45)] }, { at: 2, style: 'await', steps: [promised(55)] }]
  },
  {
    name: 'a timer of a promise that is given up, and would be due before the loop is free',
    programs: [{ at: 0, style: 'await', steps: [{ do: 'abort', how: 'timer', ms: 40, after: 20 }] }, { at: 10, steps: [compute(60)] }]
  },
  {
    name: 'a timer that runs right after an immediate',
    programs: [{ at: 0, steps: [timer(10), immediate, compute(60)] }, { at: 1, steps: [timer(30)] }]
  },
  {
    name: 'a call on a new connection while another request computes',
    programs: [{ at: 0, steps: [compute(10), call('http-new', 20)] }, { at: 5, steps: [compute(50)] }]
  },
  {
    name: 'a body that listeners read, and computing then',
    programs: [{ at: 0, body: { how: 'listeners', parts: [20] }, style: 'callback', steps: [compute(20), timer(10)] }]
  },
  {
    name: 'a head and a body that wait for the loop together',
    programs: [{ at: 0, steps: [compute(60)] }, { at: 10, body: { how: 'iterated', parts: [30] }, steps: [compute(5)] }]
  },
  {
    name: 'the same on a new connection, which is not accepted before',
    programs: [{ at: 0, steps: [compute(60)] }, { at: 10, connection: 'new', body: { how: 'iterated', parts: [30] }, steps: [compute(5)] }]
  },
  {
    name: 'a client that goes away while the loop is busy, and is answered then',
    programs: [{ at: 0, steps: [compute(60)] }, { at: 10, connection: 'new', abandon: 30, steps: [compute(1)] }]
  },
  {
    name: 'computing in the callback of a shared connection, and a call after it',
    programs: [{ at: 0, style: 'callback', steps: [call('line-tcp', 15), compute(20), call('http-kept', 15)] }]
  },
  {
    name: 'functions of two requests behind one connection, and what they wait for then',
    programs: [{ at: 0, style: 'callback', steps: [call('line-unix', 15), timer(20), call('http-new', 15), compute(5)] }, { at: 5, style: 'callback', steps: [call('line-unix', 20), timer(30)] }]
  },
  {
    name: 'one that waits for an emitter since late, beside a loser that waits for it since long',
    programs: [{
      at: 0,
      style: 'await',
      steps: [race({ do: 'file', how: 'stat' }, [{ do: 'emit', how: 'wait' }, { do: 'emit', how: 'wait' }]), compute(20), { do: 'emit', how: 'wait' }, timer(29)]
    }]
  },
  {
    name: 'a connection that is opened in a tick, after the promises of another request',
    programs: [
      { at: 0, style: 'await', steps: [{ do: 'emit', how: 'wait' }, call('http-new', 18)] },
      { at: 2, style: 'await', steps: [{ do: 'emit', how: 'wait' }, compute(24)] }
    ]
  },
  {
    name: 'a question on a kept connection in a tick, after the promises of another request',
    programs: [
      { at: 0, style: 'await', steps: [call('http-kept', 5), { do: 'emit', how: 'wait' }, call('http-kept', 18)] },
      { at: 2, style: 'await', steps: [{ do: 'emit', how: 'wait' }, { do: 'emit', how: 'wait' }, compute(24)] }
    ]
  },
  {
    name: 'an answer that has come before its request asks more there',
    programs: [
      { at: 0, style: 'await', steps: [race(call('line-unix', 30), [timer(28), call('line-unix', 60)]), compute(5)] },
      { at: 15, steps: [compute(20)] }
    ]
  },
  {
    name: 'a function that an emitter calls, and what it waits for then',
    programs: [{ at: 0, style: 'callback', steps: [{ do: 'emit', how: 'wait' }, timer(20), { do: 'file', how: 'promises.stat' }, call('http-new', 15), compute(5)] }]
  },
  {
    name: 'the same with await',
    programs: [{ at: 0, style: 'await', steps: [call('line-tcp', 15), compute(20), call('http-kept', 15)] }]
  },
  {
    name: 'an abort while another request computes',
    programs: [{ at: 0, steps: [{ do: 'abort', how: 'http', ms: 5000, after: 20 }] }, { at: 10, steps: [compute(40)] }]
  },
  {
    name: 'the last of three, which another branch keeps waiting',
    programs: [{ at: 0, style: 'await', steps: [{ do: 'all', branches: [[timer(10), compute(30)], [call('line-unix', 20)], [timer(15)]] }, compute(5)] }]
  },
  {
    name: "a call that waits for a connection with the request's own earlier call on it",
    programs: [{ at: 0, style: 'callback', steps: [race(call('http-limited', 60), timer(15)), timer(25), call('http-limited', 30)] }, { at: 30, steps: [compute(50)] }]
  },
  {
    name: 'the same of promises',
    programs: [{ at: 0, style: 'await', steps: [race(call('http-limited', 60), promised(15)), promised(25), call('http-limited', 30)] }, { at: 30, steps: [compute(50)] }]
  },
  {
    name: 'a call that waits for a connection with the call of another request on it, which goes on',
    programs: [{ at: 0, style: 'callback', steps: [call('http-limited', 60), timer(60)] }, { at: 10, style: 'callback', steps: [timer(10), call('http-limited', 40), timer(5)] }]
  },
  {
    name: 'the same of promises, behind another',
    programs: [{ at: 0, style: 'await', steps: [call('http-limited', 60), promised(80)] }, { at: 10, style: 'await', steps: [promised(10), call('http-limited', 40), promised(5)] }, { at: 40, steps: [compute(40)] }]
  },
  {
    name: "another's function right before it behind one connection, where it asks again later",
    programs: [
      { at: 0, style: 'callback', steps: [call('line-unix', 20), compute(28)] },
      { at: 1, style: 'callback', steps: [call('line-unix', 20), compute(3), call('line-tcp', 20), call('line-unix', 10), call('line-tcp', 5)] },
      { at: 5, steps: [compute(40)] }
    ]
  },
  {
    name: "another's function before a promise goes on behind one connection",
    programs: [
      { at: 0, style: 'await', steps: [call('line-unix', 20), timer(5)] },
      { at: 1, style: 'callback', steps: [call('line-unix', 20), call('http-new', 5), compute(28)] },
      { at: 5, steps: [compute(40)] }
    ]
  },
  {
    name: 'two requests of a packet, of which the first opens a connection in a tick',
    programs: [
      { at: 0, style: 'callback', steps: [{ do: 'timer', how: 'tick' }, call('http-new', 38)] },
      { at: 0, style: 'await', connection: 'pipelined', behind: 0, steps: [{ do: 'abort', how: 'fetch', ms: 5000, after: 12 }, { do: 'timer', how: 'tick' }] },
      { at: 2, steps: [compute(20)] }
    ]
  },
  {
    name: 'a question that leaves in a tick, after another request of its packet',
    programs: [
      { at: 0, style: 'await', steps: [call('http-kept', 5), promised(20), call('http-kept', 10)] },
      { at: 0, style: 'await', connection: 'pipelined', behind: 0, steps: [promised(24), compute(9)] }
    ]
  }
]
