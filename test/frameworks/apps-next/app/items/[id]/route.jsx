export async function GET (request, { params }) {
  return Response.json({ item: (await params).id })
}

export async function POST (request, { params }) {
  return Response.json({ item: (await params).id, body: await request.json() }, { status: 201 })
}
