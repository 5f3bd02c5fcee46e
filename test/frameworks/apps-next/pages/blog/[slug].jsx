export const getServerSideProps = async ({ params: { slug } }) => slug === 'bob17' ? { notFound: true } : { props: { slug } }

export default function Blog ({ slug }) {
  return `blog ${slug}`
}
