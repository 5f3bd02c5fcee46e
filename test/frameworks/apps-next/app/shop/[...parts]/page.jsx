export default async function Shop ({ params }) {
  return `shop ${(await params).parts.join(' ')}`
}
