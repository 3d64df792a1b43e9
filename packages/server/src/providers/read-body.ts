// Reading the bodies of calls.

import { parseAddresses } from '@mayfly/mail'
import type { z } from 'zod'
import type { Mailbox } from './compose.ts'
import type { Call, Headers, Rejected } from './provider.ts'

/** Why a body is invalid. */
export type Problem = {
  /** Empty for the body as a whole. */
  readonly path: readonly PropertyKey[]
  /** `attachments.0.content` */
  readonly field: string
  readonly message: string
  readonly kind: 'json' | 'missing' | 'type' | 'rule'
}

/** Passes the rejection of a body on. */
export type OnInvalid = (problem: Problem) => Rejected

const MALFORMED: Problem = {
  path: [],
  field: '',
  kind: 'json',
  message: 'The body is not valid JSON.',
}

/** The JSON of a body, and its record. */
export function parseJson(call: Call, onInvalid: OnInvalid): unknown {
  try {
    const value: unknown = JSON.parse(call.body.toString('utf8'))
    call.setRecorded(value)
    return value
  } catch {
    throw onInvalid(MALFORMED)
  }
}

/** The body of a call by a strict schema: fields that it does not have are noted, and left out. */
export function readJson<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
  onInvalid: OnInvalid,
): z.output<Schema> {
  return checkBody(call, { schema, value: parseJson(call, onInvalid), onInvalid })
}

type Check<Schema> = {
  readonly schema: Schema
  readonly value: unknown
  readonly onInvalid: OnInvalid
}

/** The same for a value that was parsed before. */
export function checkBody<Schema extends z.ZodType>(
  call: Pick<Call, 'addUnknown'>,
  { schema, value, onInvalid }: Check<Schema>,
): z.output<Schema> {
  const first = schema.safeParse(value)
  if (first.success) return first.data
  const known = withoutUnknown(call, value, first.error.issues)
  const second = known === null ? first : schema.safeParse(known)
  if (second.success) return second.data
  const issue = second.error.issues.find(({ code }) => code !== 'unrecognized_keys')
  if (issue === undefined) throw new Error('a body has only unknown fields, and is invalid')
  throw onInvalid(toProblem(issue, value))
}

/** A copy without the unknown fields, whose names are noted; null when there are none. */
function withoutUnknown(
  call: Pick<Call, 'addUnknown'>,
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
): unknown {
  const unknown = issues.filter((issue) => issue.code === 'unrecognized_keys')
  if (unknown.length === 0) return null
  // Shallow where nothing is removed: contents of files are large.
  let copy = value
  for (const { path, keys } of unknown) {
    call.addUnknown(keys.map((key) => [...path, key].join('.').slice(0, FIELD_LENGTH_MAX)))
    copy = without(copy, path, new Set(keys))
  }
  return copy
}

const FIELD_LENGTH_MAX = 100

function without(value: unknown, path: readonly PropertyKey[], keys: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const [first, ...rest] = path
  if (first === undefined) {
    return Object.fromEntries(Object.entries(value).filter(([name]) => !keys.has(name)))
  }
  if (Array.isArray(value)) {
    return value.map((one: unknown, i) => (i === first ? without(one, rest, keys) : one))
  }
  return { ...value, [first]: without(Reflect.get(value, first), rest, keys) }
}

function toProblem(issue: z.core.$ZodIssue, value: unknown): Problem {
  const { path, message, code } = issue
  const given = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  )
  const isMissing = given === undefined || given === null
  const kind = isMissing ? 'missing' : code === 'invalid_type' ? 'type' : 'rule'
  return { path, field: path.map(String).join('.'), message, kind }
}

/** The key of an Authorization header with the scheme Bearer. */
export function bearerOf({ authorization }: Headers): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null
}

/** The password of an Authorization header with the scheme Basic. */
export function passwordOf({ authorization }: Headers): string | null {
  const [, packed = ''] = /^Basic +(\S+) *$/i.exec(authorization ?? '') ?? []
  return /^[^:]*:(.+)$/s.exec(Buffer.from(packed, 'base64').toString('utf8'))?.[1] ?? null
}

const ADDRESS = /^[^\s<>@",;:()[\]\\]{1,128}@[^\s<>@",;:()[\]\\.]+(?:\.[^\s<>@",;:()[\]\\.]+)*$/

/** Longest address. */
const ADDRESS_LENGTH_MAX = 320

/** Whether a text is an address without a name. */
export function isAddress(text: string): boolean {
  return text.length <= ADDRESS_LENGTH_MAX && ADDRESS.test(text)
}

/** The addresses of a text such as `Ada <a@example.com>, b@example.com`; null for a bad one. */
export function readMailboxes(text: string): readonly Mailbox[] | null {
  if (text.trim() === '') return []
  const found = parseAddresses(text.replace(/[\r\n]+/g, ' '))
  const mailboxes = found.map(({ name, address }) => ({ name: name ?? '', address: address ?? '' }))
  return mailboxes.length > 0 && mailboxes.every(({ address }) => isAddress(address))
    ? mailboxes
    : null
}

/** The addresses of mailboxes, each once. */
export function addressesOf(...lists: readonly (readonly Mailbox[])[]): readonly string[] {
  return [...new Set(lists.flat().map(({ address }) => address))]
}

/**
 * Tags and metadata in headers: frameworks that know several providers put them there for those
 * whose APIs have no such field.
 */
export function taggedHeaders(headers: Readonly<Record<string, string>>): {
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
} {
  const tags: string[] = []
  const metadata: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const known = name.toLowerCase()
    if (known === 'x-tag') tags.push(value)
    else if (known === 'x-tags') tags.push(...textsOf(value))
    else if (known === 'x-metadata') Object.assign(metadata, fieldsOf(value))
  }
  return { tags, metadata }
}

function textsOf(value: string): readonly string[] {
  const parsed = parsedOrNull(value)
  return Array.isArray(parsed) ? parsed.map(String) : value.split(',').map((tag) => tag.trim())
}

/** The texts of a JSON object; none of anything else. */
export function fieldsOf(value: string): Readonly<Record<string, string>> {
  const parsed = parsedOrNull(value)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {}
  return Object.fromEntries(
    Object.entries(parsed).map(([name, own]) => [
      name,
      typeof own === 'string' ? own : JSON.stringify(own),
    ]),
  )
}

/** The value of a text of JSON; null for anything else. */
export function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
