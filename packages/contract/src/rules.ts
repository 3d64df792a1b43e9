import { z } from 'zod'
import { NAME_LENGTH_MAX } from './bounds.ts'
import { nearestName } from './nearest.ts'

/** Names of types for messages. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

// Messages continue the name of the field: "ttlSeconds: must be at least 600". The `error` of a
// schema takes precedence.
z.config({ customError: ruleText })

/** The message of an issue; undefined keeps that of zod. */
export function ruleText(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${TYPE_NAMES[String(issue.expected)] ?? String(issue.expected)}`
    case 'too_small':
      return `must ${sizeVerb(issue.origin)} at least ${issue.minimum}${sizeUnit(issue.origin, issue.minimum)}`
    case 'too_big':
      return `must ${sizeVerb(issue.origin)} at most ${issue.maximum}${sizeUnit(issue.origin, issue.maximum)}`
    case 'invalid_value':
      return `must be ${listOf(issue.values)}`
    case 'unrecognized_keys':
      return joinRules(issue.keys, (key: string) => unknownName(key, issue.inst))
    default:
      return undefined
  }
}

/** A name that a caller chooses; spaces around it are removed. */
export const nameSchema = z
  .string()
  .regex(/\S/, { error: 'must not be blank' })
  .max(NAME_LENGTH_MAX)
  .trim()

/** Rules in one message; a caller mends these first and then gets the next. */
const RULES_SHOWN_MAX = 10

/** Longest name of an unknown field that is repeated in full. */
const NAME_SHOWN_CHARS_MAX = 60

/** The first rules of a list, so that a message does not grow with the mistakes. */
export function joinRules<T>(items: readonly T[], describe: (item: T) => string): string {
  const shown = items.slice(0, RULES_SHOWN_MAX).map(describe).join('; ')
  const more = items.length - RULES_SHOWN_MAX
  return more > 0 ? `${shown}; and ${more} more` : shown
}

function unknownName(key: string, schema: unknown): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const nearest = nearestName(key, known)
  const isLong = key.length > NAME_SHOWN_CHARS_MAX
  const shown = isLong ? `${key.slice(0, NAME_SHOWN_CHARS_MAX).toWellFormed()}…` : key
  if (nearest !== null) return `unknown field "${shown}"; did you mean "${nearest}"?`
  if (known.length === 0) return `unknown field "${shown}"; no fields are allowed here`
  return `unknown field "${shown}"; known fields are ${known.map((name) => `"${name}"`).join(', ')}`
}

const sizeVerb = (origin: string): string =>
  origin === 'string' || origin === 'array' ? 'have' : 'be'

function sizeUnit(origin: string, count: number | bigint): string {
  const plural = Number(count) === 1 ? '' : 's'
  if (origin === 'string') return ` character${plural}`
  return origin === 'array' ? ` item${plural}` : ''
}

function listOf(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(' or ')
}
