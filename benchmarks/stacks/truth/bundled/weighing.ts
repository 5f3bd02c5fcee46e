declare const process: { hrtime: { bigint (): bigint } }
declare const exports: Record<string, unknown>

interface Scale { readonly factor: number }

function weighing (ms: number): number {
  const scale: Scale = { factor: Weights.factorOf('heavy') }
  const end: bigint = process.hrtime.bigint() + BigInt(Math.round(ms * 1e6))
  let sum = 0
  while (process.hrtime.bigint() < end) for (let i = 0; i < 2000; i++) sum += scale.factor * Math.sqrt(i)
  return sum
}

exports.weighing = weighing
