export default async function Broken ({ params }) {
  throw new Error(`of mine: ${(await params).name}`)
}
