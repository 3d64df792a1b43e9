import { z } from 'zod'
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
      return issue.keys.map((key: string) => unknownField(key, issue.inst)).join('; ')
    default:
      return undefined
  }
}

function unknownField(key: string, schema: unknown): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const nearest = nearestName(key, known)
  if (nearest !== null) return `unknown field "${key}"; did you mean "${nearest}"?`
  return `unknown field "${key}"; known fields are ${known.map((name) => `"${name}"`).join(', ')}`
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
