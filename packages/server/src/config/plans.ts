import { type Limits, limitsSchema, nearestName } from '@mayfly/contract'
import { z } from 'zod'

/** Limits of a plan that the operator overrides. */
export type PlanOverride = Partial<Limits>

/** Far above anything useful, far below the largest safe integer. */
const LIMIT_MAX = 1_000_000_000

/** Waits take numbered slots that are scanned: more would be slow. */
const WAITS_MAX = 10_000

const NAMES = Object.keys(limitsSchema.shape)

/** `inboxesPerDay=50,requestsPerMinute=none`: limits by their names in GET /v1/account. */
export const planOverride = z.string().transform((text, context): PlanOverride => {
  const override: Record<string, number | boolean | null> = {}
  for (const item of text.split(',')) {
    if (item.trim() === '') continue
    const [name = '', value = ''] = item.split('=').map((part) => part.trim())
    const parsed = readLimit(name, value)
    if ('rule' in parsed) {
      context.addIssue({ code: 'custom', message: parsed.rule })
      return z.NEVER
    }
    override[name] = parsed.limit
  }
  return override
})

type Read = { readonly limit: number | boolean | null } | { readonly rule: string }

function readLimit(name: string, value: string): Read {
  if (!NAMES.includes(name)) {
    const nearest = nearestName(name, NAMES)
    const hint = nearest === null ? `they are ${NAMES.join(', ')}` : `did you mean ${nearest}?`
    return { rule: `must name limits as NAME=VALUE; there is no limit "${name}" (${hint})` }
  }
  if (name === 'privateDomains') {
    if (value === 'true' || value === 'false') return { limit: value === 'true' }
    return { rule: 'must set privateDomains=true or privateDomains=false' }
  }
  // Mail of throw-away inboxes always expires.
  if (value === 'none' && name !== 'retentionDays') return { limit: null }
  const { min, max } = rangeOf(name)
  const limit = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  if (limit >= min && limit <= max) return { limit }
  const none = name === 'retentionDays' ? '' : ' or none'
  return { rule: `must have a whole number from ${min} to ${max}${none} for ${name}` }
}

function rangeOf(name: string): { min: number; max: number } {
  switch (name) {
    case 'retentionDays':
      return { min: 1, max: 3_650 }
    case 'requestsPerMinute':
      return { min: 1, max: LIMIT_MAX }
    case 'concurrentWaits':
      return { min: 0, max: WAITS_MAX }
    default:
      return { min: 0, max: LIMIT_MAX }
  }
}
