import { NextResponse } from 'next/server'

export default function proxy ({ nextUrl }) {
  if (nextUrl.pathname.startsWith('/denied')) return new NextResponse('who?', { status: 401 })
  if (!nextUrl.pathname.startsWith('/moved/')) return
  const url = nextUrl.clone()
  url.pathname = url.pathname.replace('/moved/', '/shop/')
  return NextResponse.rewrite(url)
}
