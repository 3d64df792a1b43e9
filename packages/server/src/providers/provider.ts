// The interface between the file of a provider and the part that all share.
//
// A call is read and composed in a thread that may be ended (`Route.run`, providers/run-call.ts).
// Its mails are then placed and stored, and the answer is sent, by providers/serve.ts.

import type { ProviderCall } from '@mayfly/contract'
import type { ProviderWork } from '../features/providers/work.ts'

/** The name of a provider, as in the path of its URL. */
export type ProviderName = ProviderCall['name']

/** The headers of a request, with lower-case names. */
export type Headers = Readonly<Record<string, string | undefined>>

/** A response: JSON, or a text of another type. */
export type Answer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body:
    | { readonly json: unknown }
    | { readonly text: string; readonly type: string }
    | null
}

/** Why a call is refused, before the provider gives it its own form. */
export type Refusal = {
  readonly why:
    | 'missing_key'
    | 'invalid_key'
    | 'misdirected'
    | 'unknown_path'
    | 'rate_limited'
    | 'too_large'
    | 'malformed'
    | 'unverified'
    | 'full'
    | 'unavailable'
    | 'internal'
    | 'fault'
  /** The status that fits where a provider has no own one for this reason. */
  readonly status: number
  readonly message: string
  readonly retryAfterSeconds?: number
  /** Of a call that exceeds a rate, or that a fault rule answers so. */
  readonly rate?: Rate
}

/** The rest of a rate limit. */
type Rate = {
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
  /** When the window ends, in seconds since 1970. */
  readonly resetAt: number
}

/** A mail that a call sends. */
export type OutgoingMail = {
  readonly raw: Uint8Array<ArrayBuffer>
  readonly mailFrom: string
  readonly recipients: readonly string[]
  readonly subject: string
  /** The id that the caller gets. */
  readonly id: string
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  /** ISO 8601; null: at once. */
  readonly scheduledAt: string | null
  /** Whether it is accepted without an inbox: its addresses stand for a result. */
  readonly mayBeLoose?: boolean
  /** Scheduled mails of one batch are paused and canceled together. */
  readonly batch?: string | undefined
}

/** One of several mails that succeed or fail by themselves. */
export type Item =
  | { readonly mails: readonly OutgoingMail[]; readonly accepted: unknown }
  | { readonly rejected: unknown; readonly reason: string }

/** The mails that a call sends, and its answer if that succeeds. */
export type Outcome =
  | {
      readonly answer: Answer
      readonly mails?: readonly OutgoingMail[]
      /** Why nothing is sent, though it succeeds; for the diagnostics. */
      readonly note?: string
      /** Why nothing can be sent, though it succeeds; for the diagnostics. */
      readonly failure?: string | undefined
      /** The claimed key under which the answer is kept for a repeated call. */
      readonly once?: string | undefined
    }
  /** Each item has its own result; `Route.join` makes the answer of them. */
  | { readonly items: readonly Item[] }

/** The result of an item: its `accepted`, its `rejected`, or the refusal of its mails. */
export type ItemResult =
  | { readonly accepted: unknown }
  | { readonly rejected: unknown }
  | { readonly refusal: Refusal }

/** A call as a provider's file sees it. */
export type Call = {
  readonly method: string
  /** Behind the base URL, with single slashes. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Headers
  /** Not compressed. */
  readonly body: Buffer
  readonly now: Date
  /** The base URL of this provider. */
  readonly baseUrl: string
  readonly work: ProviderWork
  /** Files of other servers; null for one that could not be fetched. Throws until they are. */
  readonly fetchFiles: (urls: readonly string[]) => ReadonlyMap<string, Buffer | null>
  /** Adds the names of fields that the API does not have. */
  readonly addUnknown: (fields: readonly string[]) => void
  /** Counts a mail that was composed; throws when those of the call are too large together. */
  readonly countMail: (sizeBytes: number) => void
  /** Sets what is recorded of the request, without its attachments. */
  readonly setRecorded: (request: unknown) => void
}

/** A path of an API. */
export type Route = {
  readonly method: string
  /** `/emails/:id`. */
  readonly path: string
  /** The name of the operation; the method and the path by default. */
  readonly operation?: string | ((call: Pick<Call, 'body'>) => string)
  readonly run: (call: Call) => Outcome | Promise<Outcome>
  /** The answer to a call with items. */
  readonly join?: (results: readonly ItemResult[]) => Answer
}

/** An API of a provider. */
export type Provider = {
  readonly name: ProviderName
  /** Its real host names. */
  readonly hosts: readonly string[]
  readonly bodyBytesMax: number
  /** The key of a request; null without one. */
  readonly key: (headers: Headers, query: URLSearchParams) => string | null
  /** Where the key is in the body: reads its beginning and its end. */
  readonly keyInBody?: (part: string) => string | null
  /** A key that needs no account; no mail of it is stored. */
  readonly testKey?: string
  /** Checks a signature that needs the body; the reason when it is wrong. Runs in the thread. */
  readonly checkSignature?: (request: SignedRequest) => Answer | null
  readonly routes: readonly Route[]
  readonly refuse: (
    refusal: Refusal,
    request: { readonly path: string; readonly id: string },
  ) => Answer
  readonly rateHeaders?: (rate: Rate) => Readonly<Record<string, string>>
}

/** A request as it was signed. */
export type SignedRequest = {
  readonly method: string
  /** As received, with the prefix of this service. */
  readonly rawPath: string
  readonly rawQuery: string
  readonly path: string
  readonly headers: Headers
  readonly body: Buffer
  readonly key: string
  readonly now: Date
}

/** The call is refused by a rule of the provider, with its own answer. */
export class Rejected extends Error {
  readonly answer: Answer

  constructor(answer: Answer, reason: string) {
    super(reason)
    this.answer = answer
  }
}

/** The call needs files of other servers, and is run again with them. */
export class FilesNeeded extends Error {
  readonly urls: readonly string[]

  constructor(urls: readonly string[]) {
    super('the call needs files')
    this.urls = urls
  }
}

/**
 * Routes that answer with the JSON that their functions return, by names such as
 * `POST /templates 201`; without a status 200, without a value no body.
 */
export function jsonRoutes(table: Readonly<Record<string, (call: Call) => unknown>>): Route[] {
  return Object.entries(table).map(([name, run]) => {
    const [method = '', path = '', status = '200'] = name.split(' ')
    return {
      ...{ method, path },
      run: async (call) => {
        const value = await run(call)
        return {
          answer: value === undefined ? { status: 204, body: null } : json(Number(status), value),
        }
      },
    }
  })
}

/** The texts of headers that a caller sets; `null` when one could begin another header. */
export function safeHeaders(
  headers: readonly (readonly [name: string, value: string])[],
): readonly { readonly name: string; readonly value: string }[] | null {
  const isSafe = headers.every(
    ([name, value]) => /^[\x21-\x39\x3b-\x7e]+$/.test(name) && !/[\r\n]/.test(value),
  )
  return isSafe ? headers.map(([name, value]) => ({ name, value })) : null
}

/** The templates of one provider, whose content is of one type. */
export function templatesOf<Content>(reject: {
  readonly missing: (name: string, call: Call) => Error
  readonly full: () => Error
}) {
  type Found = {
    readonly id: string
    readonly alias: string
    readonly createdAt: number
    readonly content: Content
  }
  const find = async (call: Call, name: string) =>
    // Written by `put`.
    (await call.work.templates.find(name)) as Found | null
  const get = async (call: Call, name = call.params['id'] ?? ''): Promise<Found> => {
    const found = await find(call, name)
    if (found === null) throw reject.missing(name.slice(0, 100), call)
    return found
  }
  const put = async (
    call: Call,
    template: Omit<Found, 'createdAt'> & { readonly createdAt?: number },
  ) => {
    const whole = { createdAt: call.now.getTime(), ...template }
    if (!(await call.work.templates.put(whole))) throw reject.full()
    return whole
  }
  const list = async (call: Call) =>
    // As above.
    (await call.work.templates.list()) as readonly Found[]
  const remove = async (call: Call) => {
    const found = await get(call)
    await call.work.templates.remove(found.id)
    return found
  }
  return { find, get, put, list, remove }
}

/** The own status and code of some reasons. */
export type Codes<Code> = Readonly<Partial<Record<Refusal['why'], readonly [number, Code]>>>

/** The status and the code of a refusal: of its reason, or its own status and that one's code. */
export function codeOf<Code>(
  { why, status }: Refusal,
  own: Codes<Code>,
  ofStatus: (status: number) => Code,
): readonly [status: number, code: Code] {
  return own[why] ?? [status, ofStatus(status)]
}

/** Headers for a rate such as `x-ratelimit-limit`. */
export const rateHeadersOf =
  (prefix: string, resetOf: ((rate: Rate) => number) | null) => (rate: Rate) => ({
    [`${prefix}-limit`]: String(rate.limit),
    [`${prefix}-remaining`]: String(rate.remaining),
    ...(resetOf === null ? {} : { [`${prefix}-reset`]: String(resetOf(rate)) }),
  })

/** A new id of a template, for APIs whose ids are numbers. */
export function numericId({ work }: Call): string {
  return String(Number.parseInt(work.uuid().slice(0, 7), 16))
}

/** An answer in JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers, body: { json: body } }
}
