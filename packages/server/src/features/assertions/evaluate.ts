import type { Assertion, AssertionRun, Message, MessageAuth, Otp } from '@mayfly/contract'
import { contains } from '@mayfly/mail'

/** The result of one assertion. */
export type AssertionResult = AssertionRun['results'][number]

/** Links, clients or features listed in a detail; more do not fit a line. */
const LISTED_MAX = 5

/** Longest text quoted in a detail. */
const SHOWN_CHARS_MAX = 120

/** Passes when the mail has a one-time code; with a form, one of that form. */
export function checkOtpPresent(
  message: Message,
  codes: ReadonlyMap<string, Otp | null>,
  format: string | undefined,
): AssertionResult {
  const otp = format === undefined ? message.otp : (codes.get(format) ?? null)
  const ofFormat = format === undefined ? '' : ` of the form ${format}`
  return result(
    'otpPresent',
    otp !== null,
    otp === null
      ? `no one-time code${ofFormat} was found in the mail`
      : `found ${otp.value} with confidence ${otp.confidence.toFixed(2)}`,
  )
}

/** A part of a message that is searched for texts. */
export class SearchedPart {
  readonly name: 'subject' | 'text' | 'HTML'
  readonly content: string | null
  #lowered: string | null = null

  constructor(name: SearchedPart['name'], content: string | null) {
    this.name = name
    this.content = content
  }

  /** Whether it contains a text, case-sensitive. */
  has(text: string): boolean {
    return this.content !== null && contains(this.content, text)
  }

  /** Whether it contains a text that it does not contain with the same capitalisation. */
  hasOtherwiseCapitalised(text: string): boolean {
    if (this.content === null) return false
    this.#lowered ??= this.content.toLowerCase()
    const lowered = text.toLowerCase()
    // The search was made already.
    if (lowered === text && this.#lowered === this.content) return false
    return contains(this.#lowered, lowered)
  }
}

/** Passes when the subject, text or visible HTML contains a text, case-sensitive. */
export function checkContainsText(parts: readonly SearchedPart[], text: string): AssertionResult {
  const part = parts.find((one) => one.has(text))
  if (part !== undefined) return result('containsText', true, `found in the ${part.name}`)
  const nearly = parts.find((one) => one.hasOtherwiseCapitalised(text))
  const hint =
    nearly === undefined ? '' : `; with different capitalisation it is in the ${nearly.name}`
  const subject = parts.find(({ name }) => name === 'subject')?.content ?? null
  return result(
    'containsText',
    false,
    `"${shown(text)}" is in neither subject, text nor HTML${hint}; the subject is ${quoted(subject)}`,
  )
}

/** Passes when a sender check has the expected result. */
export function checkAuth(
  auth: MessageAuth | null,
  assertion: Extract<Assertion, { type: 'auth' }>,
): AssertionResult {
  const { check, expect } = assertion
  if (auth === null) {
    return result('auth', false, `${check} has no verdict yet; the checks take up to 8 s`)
  }
  const verdict = auth[check]
  const domain = verdict.domain === null ? '' : ` for ${verdict.domain}`
  const why = verdict.detail === null ? '' : ` (${shown(verdict.detail)})`
  const passed = verdict.result === expect.toLowerCase()
  const expected = passed ? '' : `, expected ${expect}`
  return result('auth', passed, `${check} is ${verdict.result}${domain}${expected}${why}`)
}

/** The links that `linkResponds` tries. */
export function linksToTry(message: Message, urlContains: string | undefined): string[] {
  const urls = message.links.map(({ url }) => url)
  return urlContains === undefined ? urls : urls.filter((url) => contains(url, urlContains))
}

/** The result when there is no link to try. */
export function noLink(message: Message, urlContains: string | undefined): AssertionResult {
  const urls = message.links.map(({ url }) => url)
  if (urls.length === 0) return result('linkResponds', false, 'the mail has no links')
  const some = urls.slice(0, LISTED_MAX).map(shown).join(', ')
  const count = `${urls.length} link${urls.length === 1 ? '' : 's'}`
  return result(
    'linkResponds',
    false,
    `no link contains ${urlContains}; the mail has ${count}: ${some}`,
  )
}

/** A mail client, how much of a mail's HTML it supports, and what it does not. */
export type CheckedClient = {
  readonly client: string
  /** Percent; partial support counts half. */
  readonly score: number
  readonly failing: readonly string[]
}

/** Passes when each mail client supports enough of the HTML; `clients` is null without HTML. */
export function checkHtmlSupport(
  clients: readonly CheckedClient[] | null,
  { clients: wanted, atLeast }: Extract<Assertion, { type: 'htmlSupport' }>,
): AssertionResult {
  const outcome = (passed: boolean, detail: string) => result('htmlSupport', passed, detail)
  if (clients === null) return outcome(false, 'the mail has no HTML')
  const isOf = ({ client }: CheckedClient, name: string) =>
    client === name || client.startsWith(`${name}.`)
  const unknown = wanted?.find((name) => !clients.some((client) => isOf(client, name)))
  if (unknown !== undefined && clients.length > 0) {
    const names = clients.slice(0, LISTED_MAX).map(({ client }) => client)
    return outcome(false, `unknown mail client ${unknown}; known clients are ${names.join(', ')} …`)
  }
  const chosen = clients.filter((client) => wanted?.some((name) => isOf(client, name)) ?? true)
  const worst = chosen.toSorted((a, b) => a.score - b.score)[0]
  if (worst === undefined)
    return outcome(true, 'the mail uses no feature that clients support differently')
  const what = `${worst.client} supports ${worst.score} % of what the HTML uses`
  if (worst.score >= atLeast) return outcome(true, `${what}, the least of ${chosen.length}`)
  const failing = worst.failing.slice(0, LISTED_MAX).join(', ')
  return outcome(false, `${what}, expected at least ${atLeast} %; it lacks ${failing}`)
}

/** Fails all assertions: nothing arrived. */
export function nothingArrived(
  assertions: readonly Assertion[],
  reason: string,
): AssertionResult[] {
  return assertions.map(({ type }) => result(type, false, reason))
}

/** An assertion result. */
export function result(type: string, passed: boolean, detail: string): AssertionResult {
  return { type, passed, detail }
}

/** A text, cut to fit a line. */
export function shown(text: string): string {
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`
}

function quoted(text: string | null): string {
  return text === null ? 'missing' : `"${shown(text)}"`
}
