'use strict'

// Failures as text: by kind, and one in full.

const ms = (ns) => (ns / 1e6).toFixed(1)
const range = ([low, high]) => low === high ? ms(low) : `${ms(low)}..${ms(high)}`

/** @param {any} step @returns {string} short */
function stepText (step) {
  const inner = step.branches ? `[${step.branches.map((steps) => steps.map(stepText).join(' ')).join(' | ')}]` : step.steps ? `{${step.steps.map(stepText).join(' ')}}` : ''
  return [step.do, step.how].filter(Boolean).join(' ') + (step.ms !== undefined ? ` ${step.after ?? step.ms}` : '') + inner + (step.fails ? ' fails' : '')
}

/** @param {import('./plan').Program} plan */
function planText (plan) {
  const arrival = [`at ${plan.at.toFixed(0)}`, plan.connection, plan.behind !== undefined && `behind ${plan.behind}`, plan.body && `body ${plan.body.how} after ${plan.body.parts.join(' and ')}`, plan.abandon !== undefined && `given up after ${plan.abandon}`, plan.style]
  return `${arrival.filter(Boolean).join(', ')}: ${plan.steps.map(stepText).join('; ')}`
}

function placeText ({ seed, count, program }) {
  return `${seed === null ? '' : `--seed ${seed} --programs ${count}, `}program ${program}`
}

/** @param {import('./campaign').Failure} failure */
function failureText (failure) {
  const { seed, count, program, plan, kind, component, error, allowed, truth, told, seen } = failure
  const lines = [`${kind}  (${placeText({ seed, count, program })}${seen > 1 ? `, seen ${seen} times` : ''})`]
  if (plan) lines.push(`  ${planText(plan)}`)
  if (!truth || !told) return lines.join('\n')
  lines.push(`  ${component} is off by ${ms(error)} ms, of ${ms(allowed)} allowed`)
  lines.push(`  truth: ${Object.entries(truth).map(([name, value]) => `${name} ${range(value)}`).join(', ')}`)
  lines.push(`  told:  ${Object.entries(told).map(([name, value]) => `${name} ${ms(value)}`).join(', ')}`)
  return lines.join('\n')
}

/** @param {import('./campaign').Failure} failure @returns {string} both timelines */
function timelineText ({ segments = [], path = [] }) {
  const start = segments[0]?.from ?? 0
  const line = ({ from, to, component, kind, type }) => `${component} ${ms(from - start)}..${ms(to - start)} ${kind ?? type}`
  const visible = ({ from, to }) => to - from > 100_000
  return [`  truth: ${segments.filter(visible).map(line).join(' | ')}`, `  told:  ${path.filter(visible).map(line).join(' | ')}`].join('\n')
}

/** @param {import('./campaign').Failure[]} failures @returns {[string, import('./campaign').Failure[]][]} by kind, the most frequent first */
function byKind (failures) {
  /** @type {Map<string, import('./campaign').Failure[]>} */
  const kinds = new Map()
  for (const failure of failures) kinds.set(failure.kind, [...kinds.get(failure.kind) ?? [], failure])
  return [...kinds].sort((a, b) => b[1].length - a[1].length)
}

/** @param {import('./campaign').Result} result */
function summaryText ({ judged, labelled, close, unseen, failures }) {
  const wrong = failures.filter(({ label }) => !label)
  const lines = [
    `${judged} programs judged, ${close} of them within 20 ms; of ${wrong.length} something is told wrongly. Node's own work: ${unseen.map((ns) => (ns / 1e3).toFixed(0)).join(', ')} us a step.`,
    `Of ${labelled} the report says that it is not sure (a cause that is inferred, a time that is a bound); ${failures.length - wrong.length} of these are off.`
  ]
  for (const [kind, all] of byKind(wrong)) {
    const { known } = all[0]
    const again = all.filter(({ seen }) => seen > 1).length
    const example = placeText(all[0])
    lines.push(`${String(all.length).padStart(6)}  ${kind}  (${known ? `known: ${known}` : `NOT KNOWN, ${again} seen again`}; ${example})`)
  }
  return lines.join('\n')
}

module.exports = { byKind, failureText, planText, summaryText, timelineText }
