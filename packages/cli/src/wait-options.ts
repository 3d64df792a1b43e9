import type { WaitOptions } from '@mayfly/client'
import { UsageError } from './exit.ts'
import { parsePattern, parseSeconds } from './option-values.ts'

/** Which period of time counts, and how long to wait. */
export const TIME_OPTIONS = {
  timeout: {
    type: 'string',
    short: 't',
    value: 'SECONDS',
    about: 'how long to wait (default: 30)',
  },
  since: { type: 'string', value: 'TIME', about: 'only mail received at or after this moment' },
  after: { type: 'string', value: 'WATERMARK', about: 'only mail received after this watermark' },
} as const

/** Which mail counts, in the language of searches. */
export const QUERY_OPTION = {
  type: 'string',
  short: 'q',
  value: 'QUERY',
  about: "search query, such as 'from:acme -has:attachment'",
} as const

/** Which mail is checked: texts alone, because the service filters. */
export const CHECK_OPTIONS = {
  from: { type: 'string', value: 'TEXT', about: 'only mail whose sender contains the text' },
  subject: { type: 'string', value: 'TEXT', about: 'only mail whose subject contains the text' },
  query: QUERY_OPTION,
  ...TIME_OPTIONS,
} as const

/** Which mail counts, and how long to wait for it. */
export const WAIT_OPTIONS = {
  from: {
    type: 'string',
    value: 'PATTERN',
    about: 'text that the sender contains, or /expression/i',
  },
  subject: {
    type: 'string',
    value: 'PATTERN',
    about: 'text that the subject contains, or /expression/i',
  },
  text: {
    type: 'string',
    value: 'PATTERN',
    about: 'text that the body contains, or /expression/i',
  },
  query: QUERY_OPTION,
  ...TIME_OPTIONS,
} as const

type Given<Table> = { readonly [Name in keyof Table]: string | undefined }

/** The time options in the form of the client. */
function timeOptions({ timeout, since, after }: Given<typeof TIME_OPTIONS>) {
  const timeoutSeconds = timeout === undefined ? 30 : parseSeconds('timeout', timeout)
  return { timeoutSeconds, since, after }
}

/** The options of a check in the form of the client. */
export function checkOptions(given: Given<typeof CHECK_OPTIONS>) {
  const { from, subject, query } = given
  for (const [option, value] of Object.entries({ from, subject })) {
    if (value !== undefined && typeof parsePattern(option, value) !== 'string') {
      throw new UsageError(`--${option} takes a text here, not a regular expression.`)
    }
  }
  return { from, subject, q: query, ...timeOptions(given) }
}

/** The options of a wait in the form of the client. */
export function waitOptions(
  given: Given<typeof WAIT_OPTIONS>,
): WaitOptions & { readonly timeoutSeconds: number } {
  const pattern = (option: 'from' | 'subject' | 'text') => {
    const value = given[option]
    return value === undefined ? undefined : parsePattern(option, value)
  }
  return {
    from: pattern('from'),
    subject: pattern('subject'),
    text: pattern('text'),
    q: given.query,
    ...timeOptions(given),
  }
}
