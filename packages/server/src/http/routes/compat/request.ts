import type { App } from '../../../app/api.ts'
import { ServiceError } from '../../../errors.ts'
import { costlyJson, isCostlyJson } from '../../json-body.ts'

/** The caller of another mail catcher's API, and the catch-all inboxes that it sees. */
export type Access = Awaited<ReturnType<App['compat']['access']>>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on the routes of other mail catchers' APIs. */
    access: Access
  }
}

/** Checks the credentials and the rate of a request. */
export async function admit(app: App, authorization: string | undefined): Promise<Access> {
  const access = await app.compat.access(authorization)
  const rate = await app.limits.consumeRequest(access.caller)
  if (rate !== null && rate.refusal !== null) {
    const { refusal: message, resetSeconds: retryAfterSeconds } = rate
    throw new ServiceError('requests_per_minute_exceeded', { message, retryAfterSeconds })
  }
  app.limits.countRequest(access.caller)
  return access
}

/** The message, or a view of it; throws when it does not exist. */
export function found<T>(message: T | null): T {
  if (message === null) throw new ServiceError('message_not_found')
  return message
}

/**
 * The JSON of a body; null when it is none. Throws when it would take too long to parse: for some
 * calls of Mailpit's API no body means all messages.
 */
export function readJson(body: unknown): unknown {
  if (!(body instanceof Uint8Array)) return null
  const json = Buffer.from(body).toString('utf8')
  if (isCostlyJson(json)) throw costlyJson()
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

/** A number of the query from 0 on; `fallback` for anything else. */
export function queryNumber(query: unknown, name: string, fallback: number): number {
  const text = queryText(query, name)
  return /^\d{1,9}$/.test(text) ? Number(text) : fallback
}

/** A text of the query; empty without it. */
export function queryText(query: unknown, name: string): string {
  const value = typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined
  return typeof value === 'string' ? value : ''
}
