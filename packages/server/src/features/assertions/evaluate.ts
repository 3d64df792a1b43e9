import type { Assertion, AssertionRun, Message, MessageAuth } from '@mayfly/contract'
import { contains } from '@mayfly/mail'

/** The result of one assertion. */
export type AssertionResult = AssertionRun['results'][number]

/** Links listed in a detail; more do not fit a line. */
const LINKS_SHOWN_MAX = 5

/** Longest text quoted in a detail. */
const SHOWN_CHARS_MAX = 120

/** Passes when the mail has a one-time code. */
export function checkOtpPresent(message: Message): AssertionResult {
  const { otp } = message
  return result(
    'otpPresent',
    otp !== null,
    otp === null
      ? 'no one-time code was found in the mail'
      : `found ${otp.value} with confidence ${otp.confidence.toFixed(2)}`,
  )
}

/** Passes when the subject, text or visible HTML contains a text, case-sensitive. */
export function checkContainsText(
  message: Message,
  text: string,
  visibleHtml: string | null,
): AssertionResult {
  const parts: readonly (readonly [string, string | null])[] = [
    ['subject', message.subject],
    ['text', message.text],
    ['HTML', visibleHtml],
  ]
  const part = parts.find(([, content]) => content !== null && contains(content, text))
  if (part !== undefined) return result('containsText', true, `found in the ${part[0]}`)
  const nearly = parts.find(
    ([, content]) => content !== null && contains(content.toLowerCase(), text.toLowerCase()),
  )
  const hint =
    nearly === undefined ? '' : `; with different capitalisation it is in the ${nearly[0]}`
  return result(
    'containsText',
    false,
    `"${shown(text)}" is in neither subject, text nor HTML${hint}; the subject is ${quoted(message.subject)}`,
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
  const some = urls.slice(0, LINKS_SHOWN_MAX).map(shown).join(', ')
  const count = `${urls.length} link${urls.length === 1 ? '' : 's'}`
  return result(
    'linkResponds',
    false,
    `no link contains ${urlContains}; the mail has ${count}: ${some}`,
  )
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
