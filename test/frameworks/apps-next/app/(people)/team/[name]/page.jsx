import { notFound } from 'next/navigation'

export default async function Team ({ params }) {
  const { name } = await params
  if (name === 'bob17') notFound()
  return `team ${name}`
}
