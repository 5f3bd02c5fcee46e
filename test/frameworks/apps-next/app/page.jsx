export default function Home () {
  return 'home'
}
