// The part of a call that grows with its body: it runs in a thread that may be ended.

import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { ProviderWork } from '../features/providers/work.ts'
import type { Answer, Headers, Outcome, OutgoingMail, Provider, ProviderName } from './provider.ts'
import { FilesNeeded, Rejected } from './provider.ts'
import { recordedRequest } from './recorded-request.ts'
import { PROVIDERS } from './registry.ts'

/** A call for the thread. */
export type CallRequest = {
  /** Makes equal calls differ: each is run. */
  readonly id: string
  readonly provider: ProviderName
  /** Its number among the routes of the provider. */
  readonly route: number
  readonly params: Readonly<Record<string, string>>
  readonly method: string
  readonly path: string
  readonly query: string
  readonly rawUrl: string
  readonly headers: Headers
  readonly key: string
  /** Whether the key is any text, so that nothing can be signed with it. */
  readonly isOpen: boolean
  readonly now: number
  readonly baseUrl: string
  /** Files that were fetched for it; null for one that could not be. */
  readonly files: readonly { readonly url: string; readonly bytes: Uint8Array | null }[]
  readonly body: Uint8Array<ArrayBuffer>
}

/** The result of a call. */
export type CallOutcome =
  | {
      readonly state: 'done'
      readonly outcome: Outcome
      readonly operation: string
      readonly unknownFields: readonly string[]
      /** The request as it is recorded. */
      readonly recorded: unknown
      /** Addresses that the request names, where it sends no mail. */
      readonly addresses: readonly string[]
    }
  /** It is run again with these files. */
  | {
      readonly state: 'needs'
      readonly urls: readonly string[]
      readonly body: Uint8Array<ArrayBuffer>
    }
  | {
      readonly state: 'rejected'
      readonly answer: Answer
      readonly reason: string
      /** Addresses that the request names, for the diagnostics of their inboxes. */
      readonly addresses: readonly string[]
    }

/** Bytes of all mails of one call: a thousand recipients may get the same attachment. */
const MAILS_BYTES_MAX = 64 * 1024 * 1024

/** Fields that are named in the diagnostics. */
const UNKNOWN_MAX = 20

/** Reads a call and composes its mails. */
export async function runCall(work: ProviderWork, request: CallRequest): Promise<CallOutcome> {
  const provider = PROVIDERS.find(({ name }) => name === request.provider)
  const route = provider?.routes[request.route]
  if (provider === undefined || route === undefined) throw new Error('a call has no route')
  const { id, params, method, path, headers, key, baseUrl } = request
  const unknownFields = new Set<string>()
  let recorded: unknown = null
  let mailsBytes = 0
  let body = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength)
  try {
    checkSignature(provider, request, body)
    body = decompress(provider, { headers, body, path, id })
    const now = new Date(request.now)
    const call = {
      ...{ method, path, params, headers, body, now, baseUrl, work },
      query: new URLSearchParams(request.query),
      addUnknown: (fields: readonly string[]) => {
        for (const field of fields) unknownFields.add(field)
      },
      countMail: (sizeBytes: number) => {
        mailsBytes += sizeBytes
        if (mailsBytes <= MAILS_BYTES_MAX) return
        throw tooLarge(provider, { path, id }, 'The mails of a call may have 64 MiB together.')
      },
      setRecorded: (given: unknown) => {
        recorded = given
      },
    }
    const outcome = await route.run({ ...call, fetchFiles: fetched(request) })
    const mails = mailsOf(outcome)
    return {
      ...{ state: 'done', outcome },
      operation: operationOf(route, call),
      unknownFields: [...unknownFields].slice(0, UNKNOWN_MAX),
      recorded: recordedRequest(recorded, { key, copies: mails.length }),
      addresses: mails.length === 0 ? addressesIn(body) : [],
    }
  } catch (error) {
    if (error instanceof FilesNeeded)
      return { state: 'needs', urls: error.urls, body: request.body }
    if (!(error instanceof Rejected)) throw error
    return {
      state: 'rejected',
      answer: error.answer,
      reason: error.message,
      addresses: addressesIn(body),
    }
  }
}

const fetched =
  ({ files }: CallRequest) =>
  (urls: readonly string[]) => {
    const found = new Map(
      files.map(({ url, bytes }) => [url, bytes === null ? null : Buffer.from(bytes)]),
    )
    if (!urls.every((url) => found.has(url))) throw new FilesNeeded([...new Set(urls)])
    return found
  }

function operationOf(route: Provider['routes'][number], call: { readonly body: Buffer }): string {
  const { operation = `${route.method} ${route.path}` } = route
  return typeof operation === 'string' ? operation : operation(call)
}

/** All mails of an outcome. */
export function mailsOf(outcome: Outcome): readonly OutgoingMail[] {
  if (!('items' in outcome)) return outcome.mails ?? []
  return outcome.items.flatMap((item) => ('mails' in item ? item.mails : []))
}

function checkSignature(provider: Provider, request: CallRequest, body: Buffer): void {
  if (request.isOpen || provider.checkSignature === undefined) return
  const { method, path, headers, key, rawUrl } = request
  const [rawPath = '', rawQuery = ''] = rawUrl.split(/\?(.*)/s)
  const signed = { method, path, headers, key, rawPath, rawQuery, body, now: new Date(request.now) }
  const refused = provider.checkSignature(signed)
  if (refused !== null) throw new Rejected(refused, 'the signature is wrong')
}

type Packed = {
  readonly headers: Headers
  readonly body: Buffer
  readonly path: string
  readonly id: string
}

const DECODERS: Readonly<Record<string, typeof gunzipSync | typeof brotliDecompressSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

function decompress(provider: Provider, { headers, body, path, id }: Packed): Buffer<ArrayBuffer> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  const decode = DECODERS[encoding]
  // A body is always a buffer of its own.
  if (decode === undefined) return body as Buffer<ArrayBuffer>
  try {
    // As above.
    return decode(body, { maxOutputLength: provider.bodyBytesMax }) as Buffer<ArrayBuffer>
  } catch (error) {
    const isLarge = error instanceof RangeError
    if (isLarge)
      throw tooLarge(provider, { path, id }, 'The body is too large when it is unpacked.')
    const message = `The body is not valid ${encoding}.`
    throw new Rejected(
      provider.refuse({ why: 'malformed', status: 400, message }, { path, id }),
      message,
    )
  }
}

function tooLarge(
  provider: Provider,
  request: { readonly path: string; readonly id: string },
  message: string,
): Rejected {
  return new Rejected(provider.refuse({ why: 'too_large', status: 413, message }, request), message)
}

/** What of a body is searched for addresses, and how many are looked up. */
const SEARCHED_BYTES = 64 * 1024
const ADDRESSES_MAX = 50

function addressesIn(body: Buffer): readonly string[] {
  const text = body.subarray(0, SEARCHED_BYTES).toString('utf8').replaceAll(/%40/gi, '@')
  const found = text.match(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g) ?? []
  return [...new Set(found)].slice(0, ADDRESSES_MAX)
}
