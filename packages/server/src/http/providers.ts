import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PUBLIC } from './caller.ts'
import { clientGone } from './route.ts'

/** Answers a call of a provider's API. */
export type HandleProvider = (request: {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly payload: IncomingMessage
  readonly remoteAddress: string
  readonly rootUrl: null
  readonly gone: AbortSignal
}) => Promise<{
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body:
    | { readonly json: unknown }
    | { readonly text: string; readonly type: string }
    | null
}>

/** Serves the APIs of providers, in a scope of its own: their bodies have any media type. */
export function serveProviders(http: FastifyInstance, handle: HandleProvider): void {
  http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body is read by the call, which knows the key by then.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const { id, method, raw, ip: remoteAddress } = request
      const { status, headers, body } = await handle({
        ...{ id, method, payload: raw, remoteAddress, rootUrl: null, gone: clientGone(reply) },
        url: raw.url ?? '/',
        headers: singleHeaders(raw.headers),
      })
      reply.code(status).headers(headers ?? {})
      if (body === null) return reply.type('text/plain; charset=utf-8').send('')
      return 'json' in body
        ? reply.type('application/json; charset=utf-8').send(JSON.stringify(body.json))
        : reply.type(body.type).send(body.text)
    }
    for (const url of ['/providers', '/providers/*', '//providers/*']) {
      scope.all(url, { config: PUBLIC, schema: { hide: true } }, answer)
    }
  })
}

/** Headers with one value each. */
function singleHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
}
