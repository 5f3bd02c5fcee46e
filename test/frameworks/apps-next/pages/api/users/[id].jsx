export default async function handler (request, response) {
  await new Promise((resolve) => setTimeout(resolve, 1))
  response.status(request.method === 'POST' ? 201 : 200).json({ id: request.query.id, body: request.body })
}
