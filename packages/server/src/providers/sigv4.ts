// Signature Version 4 of AWS. The secret of a key is the key itself, so every signature can be
// checked.

import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Headers, SignedRequest } from './provider.ts'

/** The parts of an Authorization header. */
type Authorization = {
  readonly key: string
  readonly date: string
  readonly region: string
  readonly service: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
}

/** Why a signature is wrong, in AWS's words. */
export type SignatureProblem = {
  readonly code: 'IncompleteSignature' | 'SignatureDoesNotMatch'
  readonly message: string
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 +Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request, *SignedHeaders=([^,\s]+), *Signature=([0-9a-f]{64})$/

/** How far the clock of a client may be off. */
const SKEW_MS_MAX = 5 * 60_000

/** The access key id of a request; null without one. */
export function accessKeyOf({ authorization }: Headers): string | null {
  return /^AWS4-HMAC-SHA256 +Credential=([^/,\s]+)\//.exec(authorization ?? '')?.[1] ?? null
}

/** The region that a request was signed for. */
export function regionOf(headers: Headers): string {
  return readAuthorization(headers)?.region ?? 'us-east-1'
}

function readAuthorization({ authorization }: Headers): Authorization | null {
  const found = AUTHORIZATION.exec(authorization ?? '')
  if (found === null) return null
  const [, key = '', date = '', region = '', service = '', headers = '', signature = ''] = found
  return { key, date, region, service, signedHeaders: headers.split(';'), signature }
}

/** Why the signature of a request is wrong; null when it is right. */
export function signatureProblem(request: SignedRequest): SignatureProblem | null {
  const { headers, now } = request
  const given = readAuthorization(headers)
  if (given === null) return incomplete('The Authorization header is malformed.')
  const time = headers['x-amz-date'] ?? ''
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? []
  const [year = '', month = '', day = '', hour = '', minute = '', second = ''] = parts
  if (year === '') return incomplete('The request needs the header X-Amz-Date.')
  const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (!(Math.abs(signedAt - now.getTime()) <= SKEW_MS_MAX)) {
    const state = signedAt < now.getTime() ? 'expired' : 'not yet current'
    return mismatch(`Signature ${state}: ${time} is more than 5 minutes from ${now.toISOString()}.`)
  }
  if (given.date !== time.slice(0, 8)) {
    return mismatch('The date of the credential scope is not that of X-Amz-Date.')
  }
  if (given.service !== 'ses') return mismatch("Credential should be scoped to service 'ses'.")
  const { signedHeaders } = given
  const needed = ['host', 'x-amz-date']
  if (!needed.every((name) => signedHeaders.includes(name))) {
    return mismatch("'Host' and 'X-Amz-Date' must be signed headers.")
  }
  return matches(request, given, time) ? null : mismatch(WRONG)
}

const WRONG =
  'The request signature we calculated does not match the signature you provided. Use the same Mayfly key as access key id and as secret access key.'

const mismatch = (message: string): SignatureProblem => ({ code: 'SignatureDoesNotMatch', message })
const incomplete = (message: string): SignatureProblem => ({ code: 'IncompleteSignature', message })

function matches(request: SignedRequest, given: Authorization, time: string): boolean {
  const bodyHash = hash('sha256', request.body)
  const declared = request.headers['x-amz-content-sha256']
  if (declared !== undefined && declared !== bodyHash) return false
  const canonical = [
    request.method,
    canonicalPath(request.rawPath),
    canonicalQuery(request.rawQuery),
    ...given.signedHeaders.map((name) => `${name}:${canonicalValue(request.headers[name])}`),
    '',
    given.signedHeaders.join(';'),
    bodyHash,
  ].join('\n')
  const scope = `${given.date}/${given.region}/${given.service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n')
  const steps = [given.date, given.region, given.service, 'aws4_request', text]
  const start: Buffer = Buffer.from(`AWS4${request.key}`)
  const computed = steps.reduce(
    (key, step) => createHmac('sha256', key).update(step).digest(),
    start,
  )
  return timingSafeEqual(computed, Buffer.from(given.signature, 'hex'))
}

/** The path is encoded once more than it is on the wire. */
function canonicalPath(rawPath: string): string {
  const path = rawPath.replace(/\/{2,}/g, '/')
  return path === '' ? '/' : path.split('/').map(encode).join('/')
}

function canonicalQuery(rawQuery: string): string {
  const pairs = [...new URLSearchParams(rawQuery)].map(([name, value]) => [
    encode(name),
    encode(value),
  ])
  return pairs
    .map((pair) => pair.join('='))
    .sort()
    .join('&')
}

function canonicalValue(value: string | undefined): string {
  return (value ?? '').trim().replace(/ {2,}/g, ' ')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
