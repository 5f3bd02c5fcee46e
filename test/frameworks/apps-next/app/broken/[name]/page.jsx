// Without a digest, Next makes one of the stack, which differs from run to run.
export default async function Broken ({ params }) {
  const error = new Error(`of mine: ${(await params).name}`)
  throw Object.assign(error, { digest: 'mine' })
}
