import { readFile } from 'node:fs/promises'
import type { Assertion, AssertionRun } from '@mayfly/client'
import { CommandFailed, EXIT, Misuse } from './exit.ts'
import { printableLine } from './printable.ts'
import { print, style, type Terminal } from './terminal.ts'

/** What is asserted of a message. */
export const ASSERTION_OPTIONS = {
  otp: { type: 'boolean', about: 'a one-time code was found' },
  contains: {
    type: 'string',
    multiple: true,
    value: 'TEXT',
    about: 'the text occurs in subject or body; may repeat',
  },
  link: { type: 'boolean', about: 'a link answers with success' },
  'link-with': {
    type: 'string',
    multiple: true,
    value: 'TEXT',
    about: 'a link that contains the text answers; may repeat',
  },
  auth: {
    type: 'string',
    multiple: true,
    value: 'CHECK[=RESULT]',
    about: 'spf, dkim or dmarc gave the result (pass); may repeat',
  },
  file: { type: 'string', value: 'FILE', about: 'a JSON array of assertions, as the API takes it' },
} as const

type Given = {
  readonly otp: boolean
  readonly contains: readonly string[]
  readonly link: boolean
  readonly 'link-with': readonly string[]
  readonly auth: readonly string[]
  readonly file: string | undefined
}

/** The assertions that the options name; at least one. */
export async function givenAssertions(given: Given): Promise<readonly Assertion[]> {
  const assertions: readonly Assertion[] = [
    ...(given.file === undefined ? [] : await readAssertions(given.file)),
    ...(given.otp ? [{ type: 'otpPresent' } as const] : []),
    ...given.contains.map((text) => ({ type: 'containsText', text }) as const),
    ...(given.link ? [{ type: 'linkResponds' } as const] : []),
    ...given['link-with'].map((urlContains) => ({ type: 'linkResponds', urlContains }) as const),
    ...given.auth.map(authAssertion),
  ]
  if (assertions.length > 0) return assertions
  throw new Misuse('name at least one assertion, such as --otp or --contains "Welcome".')
}

/** Prints what held and what did not; a run that did not pass ends the command. */
export function reportRun(terminal: Terminal, run: AssertionRun): void {
  for (const { passed, type, detail } of run.results) {
    const mark = passed ? style(terminal, 'green', 'passed') : style(terminal, 'red', 'FAILED')
    print(terminal, `${mark}  ${type}: ${printableLine(detail)}`)
  }
}

/** The end of a command that ran assertions. */
export function endRun(run: AssertionRun): void {
  if (!run.passed) throw new CommandFailed('', run.arrived ? EXIT.failed : EXIT.timedOut)
}

/** The service judges what is in the file, and says what it does not know. */
async function readAssertions(file: string): Promise<readonly Assertion[]> {
  const text = await readFile(file, 'utf8')
  try {
    const parsed: unknown = JSON.parse(text)
    if (Array.isArray(parsed)) return parsed
  } catch {
    // Told below, as for JSON that is no array.
  }
  throw new Misuse(`${file} does not hold a JSON array.`)
}

function authAssertion(text: string): Assertion {
  const [check, expect] = text.split('=')
  if (check !== 'spf' && check !== 'dkim' && check !== 'dmarc') {
    throw new Misuse(`--auth must begin with spf, dkim or dmarc, but is "${text}".`)
  }
  return { type: 'auth', check, ...(expect === undefined ? {} : { expect }) }
}
