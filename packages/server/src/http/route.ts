import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { App } from '../assembly/api.ts'

/** The server as routes see it: request and response are typed by the schemas of the contract. */
type TypedServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** Registers the routes of one noun. */
export type Routes = (http: TypedServer, app: App) => void

/** Aborts when the client closes the connection before the response is complete. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  // Also when it has closed already: authentication and reading the body take time.
  if (reply.raw.closed || reply.request.raw.socket.destroyed) gone.abort()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return gone.signal
}

/**
 * The same for a wait, with one listener: thousands of waits are held, and a signal with its
 * listeners takes 0.7 KB more.
 */
export class WaitingClient {
  #isGone: boolean
  #listener: (() => void) | null = null

  constructor({ raw, request }: FastifyReply) {
    this.#isGone = raw.closed || request.raw.socket.destroyed
    raw.on('close', () => {
      if (raw.writableFinished) return
      this.#isGone = true
      this.#listener?.()
    })
  }

  get aborted(): boolean {
    return this.#isGone
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listener = listener
  }

  removeEventListener(): void {
    this.#listener = null
  }
}

/** Sends JSON that was written elsewhere. */
export function sendJson(reply: FastifyReply, json: Uint8Array): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}
