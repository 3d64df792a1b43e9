import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { App } from '../app/api.ts'

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

/**
 * Calls back when the client closes the connection before the response is complete. Returns whether
 * it has closed already: authentication and reading the body take time.
 */
function watchClient({ raw, request }: FastifyReply, onGone: () => void): boolean {
  raw.once('close', () => {
    if (!raw.writableFinished) onGone()
  })
  return raw.closed || request.raw.socket.destroyed
}

/** Aborts when the client closes the connection before the response is complete. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (watchClient(reply, () => gone.abort())) gone.abort()
  return gone.signal
}

/**
 * The same for a wait, with one listener: thousands of waits are open, and a signal with its
 * listeners takes 0.7 KB more.
 */
export class WaitingClient {
  #isGone: boolean
  #listener: (() => void) | null = null

  constructor(reply: FastifyReply) {
    this.#isGone = watchClient(reply, () => {
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
