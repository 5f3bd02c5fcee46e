async function greet ({ name }) {
  'use server'
  return `hello ${name}`
}

export default function Form () {
  return <form action={greet}><input name='name' /></form>
}
