export const generateStaticParams = () => [{ part: 'ann' }]

export default async function Frozen ({ params }) {
  return `frozen ${(await params).part}`
}
