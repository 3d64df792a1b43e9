import { readFile } from 'node:fs/promises'
import type { Assertion, AssertionRun } from '@mayfly/client'
import { CommandFailed, EXIT, UsageError } from './exit.ts'
import { print, printableLine, style } from './output.ts'
import type { Terminal } from './terminal.ts'

/** Options that name assertions. */
export const ASSERTION_OPTIONS = {
  otp: { type: 'boolean', about: 'a one-time code was found' },
  contains: {
    type: 'string',
    multiple: true,
    value: 'TEXT',
    about: 'subject or body contains the text; may repeat',
  },
  link: { type: 'boolean', about: 'a link responds with a 2xx status' },
  'link-with': {
    type: 'string',
    multiple: true,
    value: 'TEXT',
    about: 'a link that contains the text responds with a 2xx status; may repeat',
  },
  auth: {
    type: 'string',
    multiple: true,
    value: 'CHECK[=RESULT]',
    about: 'spf, dkim or dmarc has the result (default: pass); may repeat',
  },
  html: {
    type: 'string',
    multiple: true,
    value: 'N[=CLIENTS]',
    about: 'mail clients support N % of the HTML, such as 90=gmail,outlook',
  },
  file: {
    type: 'string',
    value: 'FILE',
    about: 'a JSON array of assertions in the form of the API',
  },
} as const

type AssertionChoice = {
  readonly otp: boolean
  readonly contains: readonly string[]
  readonly link: boolean
  readonly 'link-with': readonly string[]
  readonly auth: readonly string[]
  readonly html: readonly string[]
  readonly file: string | undefined
}

/** The assertions chosen by the options; at least one. */
export async function chosenAssertions(choice: AssertionChoice): Promise<readonly Assertion[]> {
  const assertions: readonly Assertion[] = [
    ...(choice.file === undefined ? [] : await readAssertions(choice.file)),
    ...(choice.otp ? [{ type: 'otpPresent' } as const] : []),
    ...choice.contains.map((text) => ({ type: 'containsText', text }) as const),
    ...(choice.link ? [{ type: 'linkResponds' } as const] : []),
    ...choice['link-with'].map((urlContains) => ({ type: 'linkResponds', urlContains }) as const),
    ...choice.auth.map(authAssertion),
    ...choice.html.map(htmlAssertion),
  ]
  if (assertions.length > 0) return assertions
  throw new UsageError('name at least one assertion, such as --otp or --contains "Welcome".')
}

/** Prints the result of each assertion. */
export function reportRun(terminal: Terminal, run: AssertionRun): void {
  for (const { passed, type, detail } of run.results) {
    const mark = passed ? style(terminal, 'green', 'passed') : style(terminal, 'red', 'FAILED')
    print(terminal, `${mark}  ${type}: ${printableLine(detail)}`)
  }
}

/** Fails the command unless every assertion passed. */
export function requirePassed(run: AssertionRun): void {
  if (!run.passed) throw new CommandFailed('', run.arrived ? EXIT.failed : EXIT.timedOut)
}

/** Only checks that it is an array: the service validates the assertions. */
async function readAssertions(file: string): Promise<readonly Assertion[]> {
  const text = await readFile(file, 'utf8')
  try {
    const parsed: unknown = JSON.parse(text)
    if (Array.isArray(parsed)) return parsed
  } catch {
    // Reported below, like JSON that is not an array.
  }
  throw new UsageError(`${file} does not contain a JSON array.`)
}

/** The results of RFC 8601. */
const AUTH_RESULTS: readonly string[] = [
  ...['pass', 'fail', 'softfail', 'neutral', 'none', 'temperror', 'permerror', 'policy'],
]

function authAssertion(text: string): Assertion {
  const [check, expect] = text.split('=')
  if (check !== 'spf' && check !== 'dkim' && check !== 'dmarc') {
    throw new UsageError(`--auth must begin with spf, dkim or dmarc, but is "${text}".`)
  }
  if (expect !== undefined && !AUTH_RESULTS.includes(expect.toLowerCase())) {
    const known = `${AUTH_RESULTS.slice(0, -1).join(', ')} or ${AUTH_RESULTS.at(-1)}`
    throw new UsageError(`--auth ${check}= must be ${known}, but is "${expect}".`)
  }
  return { type: 'auth', check, ...(expect === undefined ? {} : { expect }) }
}

function htmlAssertion(text: string): Assertion {
  const [percent = '', clients] = text.split('=')
  if (!/^\d{1,3}(?:\.\d+)?$/.test(percent)) {
    throw new UsageError(`--html must begin with a percentage, but is "${text}".`)
  }
  const chosen = clients === undefined ? {} : { clients: clients.split(',') }
  return { type: 'htmlSupport', atLeast: Number(percent), ...chosen }
}
