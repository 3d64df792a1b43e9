import {
  type Call,
  type CallResponse,
  type Connection,
  property,
  RESPONSE_MS_MAX,
  sendOnce,
  unexpectedResponse,
} from './connection.ts'
import { MayflyError } from './errors.ts'
import { ATTEMPTS_MAX, delay, isRateLimited, retryDelayMs } from './retry.ts'

/** A call, and whether it may be sent again. */
export type Request = Call & {
  /** Whether the call is idempotent. Default: true for GET and DELETE, false for POST. */
  readonly isRepeatable?: boolean
  /** How often it may be sent in total. */
  readonly attemptsMax?: number
}

/** Sends calls, retries them where that is safe, and throws error responses. */
export class Requester {
  #connection: Connection
  readonly #findKey: (() => Promise<string>) | null
  #finding: Promise<string> | null = null

  constructor(
    service: Omit<Connection, 'apiKey'>,
    apiKey: string | null | (() => Promise<string>) = null,
  ) {
    const isLater = typeof apiKey === 'function'
    this.#connection = { ...service, apiKey: isLater ? null : apiKey }
    this.#findKey = isLater ? apiKey : null
  }

  /** How the service is reached, with the key: calls that need one to be found wait for it. */
  async connect(): Promise<Connection> {
    if (this.#connection.apiKey === null && this.#findKey !== null) {
      // After a failure the next call tries again.
      this.#finding ??= this.#findKey().finally(() => {
        this.#finding = null
      })
      this.useKey(await this.#finding)
    }
    return this.#connection
  }

  /** Uses another key for further calls. */
  useKey(apiKey: string): void {
    this.#connection = { ...this.#connection, apiKey }
  }

  /** The JSON of the response, whose form is not validated here. */
  async json<Body>(request: Request): Promise<Body> {
    return (await this.jsonAndHeaders<Body>(request)).body
  }

  /** One field of it. */
  async field<Field>(name: string, request: Request): Promise<Field> {
    return (await this.json<Record<string, Field>>(request))[name] as Field // Not validated here.
  }

  /** The same, with the headers of the response. */
  async jsonAndHeaders<Body>(request: Request): Promise<{ body: Body; headers: Headers }> {
    const { bytes, headers } = await this.#send(request)
    const text = new TextDecoder().decode(bytes)
    try {
      return { body: JSON.parse(text), headers }
    } catch (cause) {
      throw new MayflyError(
        `${unexpectedResponse(text)} (200, ${request.method} ${request.path})`,
        {
          cause,
        },
      )
    }
  }

  /** The bytes of the response. */
  async bytes(request: Request): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#send(request)).bytes
  }

  /** For calls whose response has no body. */
  async done(request: Request): Promise<void> {
    await this.#send(request)
  }

  async #send(request: Request): Promise<CallResponse> {
    const isRepeatable = request.isRepeatable ?? request.method !== 'POST'
    const attemptsMax = request.attemptsMax ?? ATTEMPTS_MAX
    const connection = await this.connect()
    const deadline = performance.now() + (request.timeoutMs ?? RESPONSE_MS_MAX)
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendOnce(connection, request)
      } catch (error) {
        // An earlier attempt may have deleted it although its response was lost.
        const isRepeatedDelete = attempt > 1 && request.method === 'DELETE'
        if (isRepeatedDelete && property(error, 'status') === 404) return DELETED
        const delayMs = retryDelayMs({ error, attempt, isRepeatable })
        const isLast = attempt >= (attemptsMax > 1 && isRateLimited(error) ? Infinity : attemptsMax)
        if (delayMs === null || isLast || performance.now() + delayMs > deadline) throw error
        await delay(delayMs, request.signal)
      }
    }
  }
}

const DELETED: CallResponse = { bytes: new Uint8Array(), headers: new Headers() }
