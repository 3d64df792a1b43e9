// The assertions that depend on the content of a message alone. A mail may have 25 MiB, so this
// does not run on the API's thread: see app/content.ts.

import type {
  AccountId,
  Assertion,
  AssertionRun,
  InboxId,
  MessageAuth,
  MessageId,
  Otp,
} from '@mayfly/contract'
import { type OtpFinding, readableText, readHtml } from '@mayfly/mail'
import type { Tables } from '../../store/all-tables.ts'
import type { StoredMessage } from '../../store/tables/full-message.ts'
import type { RenderedHtmlCache } from '../messages/rendered-html-cache.ts'
import {
  type AssertionResult,
  type CheckedClient,
  checkContainsText,
  checkHtmlSupport,
  checkOtpPresent,
  linksToTry,
  noLink,
  SearchedPart,
} from './evaluate.ts'

export type CheckDeps = {
  readonly store: Tables
  readonly renderedHtml: RenderedHtmlCache
  /** Finds the code of a form in a mail; null when the mail was deleted. */
  readonly findCode: (request: {
    readonly mailId: string
    readonly format: string
  }) => Promise<OtpFinding | null>
}

/** A message and the assertions on it. */
export type CheckRequest = {
  readonly inboxId: InboxId
  readonly messageId: MessageId
  readonly assertions: readonly Assertion[]
}

/** A message after the check of its content. */
export type CheckedMessage = {
  readonly message: NonNullable<AssertionRun['message']>
  readonly mailId: string
  readonly auth: MessageAuth | null
  /** One for each assertion. */
  readonly checks: readonly Check[]
}

/** A result, or the check that it still needs. */
export type Check =
  | { readonly state: 'done'; readonly result: AssertionResult }
  | { readonly state: 'links'; readonly urls: readonly string[]; readonly untriedCount: number }
  | { readonly state: 'auth'; readonly assertion: Extract<Assertion, { type: 'auth' }> }

/** Links tried by one assertion, so that a mail cannot make us send hundreds of requests. */
const LINKS_TRIED_MAX = 10

/** Checks a message; null when there is none. */
export async function checkMessage(
  deps: CheckDeps,
  owner: AccountId,
  { inboxId, messageId, assertions }: CheckRequest,
): Promise<CheckedMessage | null> {
  const found = await deps.store.messages.find(owner, inboxId, messageId)
  if (found === null) return null
  const isSearched = assertions.some(({ type }) => type === 'containsText')
  const parts = isSearched ? await searchedParts(deps, found) : []
  const isHtmlChecked = assertions.some(({ type }) => type === 'htmlSupport')
  const clients = isHtmlChecked ? await clientsOf(found) : null
  const codes = await codesOf(deps, found, assertions)
  const { id, subject, receivedAt, mailId, auth } = found
  return {
    message: { id, subject, receivedAt },
    mailId,
    auth,
    checks: assertions.map((assertion) => check(found, { parts, clients, codes }, assertion)),
  }
}

async function searchedParts(deps: CheckDeps, found: StoredMessage): Promise<SearchedPart[]> {
  const { subject, text, html, mailId } = found
  const visible =
    html === null
      ? null
      : await deps.renderedHtml.get(`text ${mailId}`, async () => readableText(readHtml(html)))
  return [
    new SearchedPart('subject', subject),
    new SearchedPart('text', text),
    new SearchedPart('HTML', visible),
  ]
}

/** The code of each form that an assertion asks for. */
async function codesOf(
  { findCode }: CheckDeps,
  { mailId }: StoredMessage,
  assertions: readonly Assertion[],
): Promise<ReadonlyMap<string, Otp | null>> {
  const codes = new Map<string, Otp | null>()
  for (const assertion of assertions) {
    const format = assertion.type === 'otpPresent' ? assertion.otpFormat : undefined
    if (format === undefined || codes.has(format)) continue
    codes.set(format, (await findCode({ mailId, format }))?.otp ?? null)
  }
  return codes
}

/** How mail clients support the HTML of a message; null when it has none. */
async function clientsOf({ html }: StoredMessage): Promise<readonly CheckedClient[] | null> {
  if (html === null) return null
  // Loaded with the first such assertion: the data is large.
  const { checkHtml, newestResults } = await import('@mayfly/mail/html-check')
  const { clients, features } = checkHtml(html)
  return clients.map(({ client, supported, partial }) => ({
    client,
    score: Math.round(10 * (supported + partial / 2)) / 10,
    failing: features
      .filter(({ feature }) =>
        newestResults(feature).some(
          (result) =>
            result.client === client && ['partial', 'unsupported'].includes(result.support),
        ),
      )
      .map(({ feature }) => feature.title),
  }))
}

/** Computed only for the assertions that need it. */
type Computed = {
  readonly parts: readonly SearchedPart[]
  readonly clients: readonly CheckedClient[] | null
  readonly codes: ReadonlyMap<string, Otp | null>
}

function check(found: StoredMessage, computed: Computed, assertion: Assertion): Check {
  const { parts, clients, codes } = computed
  switch (assertion.type) {
    case 'otpPresent':
      return { state: 'done', result: checkOtpPresent(found, codes, assertion.otpFormat) }
    case 'containsText':
      return { state: 'done', result: checkContainsText(parts, assertion.text) }
    case 'linkResponds': {
      const urls = linksToTry(found, assertion.urlContains)
      if (urls.length === 0) return { state: 'done', result: noLink(found, assertion.urlContains) }
      const untriedCount = Math.max(0, urls.length - LINKS_TRIED_MAX)
      return { state: 'links', urls: urls.slice(0, LINKS_TRIED_MAX), untriedCount }
    }
    case 'auth':
      return { state: 'auth', assertion }
    case 'htmlSupport':
      return { state: 'done', result: checkHtmlSupport(clients, assertion) }
  }
}
