export const getServerSideProps = async () => { throw new Error('of mine') }

export default function Failing () {
  return 'never'
}
