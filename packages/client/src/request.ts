import { type Answer, type Call, type Connection, exchange, notOurs } from './connection.ts'
import { delay } from './delay.ts'
import { ApiError, MayflyError } from './errors.ts'
import { ATTEMPTS_MAX, retryDelayMs } from './retry.ts'

/** A call, and what is known of it that decides whether it may be sent again. */
export type Request = Call & {
  /** Set where a POST changes nothing, or the same when sent twice; GET and DELETE are so. */
  readonly isRepeatable?: boolean
  /** Times that it may be sent in all. */
  readonly attemptsMax?: number
}

/** Sends calls, repeats them where that is safe, and turns error answers into errors. */
export class Requester {
  #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Makes further calls with another key. */
  useKey(apiKey: string): void {
    this.#connection = { ...this.#connection, apiKey }
  }

  /** The JSON of the answer. Its shape is the service's promise and not checked again here. */
  async json<Body>(request: Request): Promise<Body> {
    const { bytes } = await this.#send(request)
    const text = new TextDecoder().decode(bytes)
    try {
      return JSON.parse(text)
    } catch (cause) {
      // Most likely the page of another program.
      throw new MayflyError(`${notOurs(text)} (200, ${request.method} ${request.path})`, { cause })
    }
  }

  /** The bytes of the answer. */
  async bytes(request: Request): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#send(request)).bytes
  }

  /** For calls whose answer says nothing. */
  async done(request: Request): Promise<void> {
    await this.#send(request)
  }

  async #send(request: Request): Promise<Answer> {
    const isRepeatable = request.isRepeatable ?? request.method !== 'POST'
    const attemptsMax = request.attemptsMax ?? ATTEMPTS_MAX
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await exchange(this.#connection, request)
      } catch (error) {
        // The first try may have deleted it, and only its answer was lost.
        const isGone = attempt > 1 && request.method === 'DELETE'
        if (isGone && error instanceof ApiError && error.status === 404) return GONE
        const delayMs = retryDelayMs({ error, attempt, isRepeatable })
        if (delayMs === null || attempt >= attemptsMax) throw error
        await delay(delayMs, request.signal)
      }
    }
  }
}

const GONE: Answer = { bytes: new Uint8Array() }
