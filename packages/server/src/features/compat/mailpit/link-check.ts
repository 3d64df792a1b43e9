import type { AccountId } from '@mayfly/contract'
import { findHtmlUrls } from '@mayfly/mail'
import type { Tables } from '../../../store/all-tables.ts'
import type { CaughtRef } from '../../../store/tables/caught.ts'
import type { Access } from '../access.ts'

/** What checking links needs. */
export type LinkCheckDeps = {
  /** The URLs of a message, in order; see `listUrls`. */
  readonly urls: (owner: AccountId, ref: CaughtRef) => Promise<readonly string[]>
  /** Begins to fetch links under the rules for outbound connections. */
  readonly begin: (bounds: {
    readonly accountId: AccountId
    readonly followsRedirects: boolean
    readonly timeLeftMs: () => number
    readonly gone: AbortSignal
  }) => { readonly fetch: (url: string) => Promise<Fetched> }
  readonly elapsedMs: () => number
}

/** The result of a fetch. */
type Fetched =
  | { readonly state: 'answered'; readonly status: number }
  | { readonly state: 'refused' | 'failed'; readonly detail: string }

/** A link and the status of its answer: 0 without one, and `detail` then says why. */
type CheckedLink = {
  readonly url: string
  readonly status: number
  readonly detail: string | null
}

/** Longest time for all links together. */
const CHECK_MS_MAX = 20_000

/** Which message is checked, and how. */
type LinkCheckRequest = {
  readonly ref: CaughtRef
  readonly followsRedirects: boolean
  readonly gone: AbortSignal
}

/** Fetches all URLs of a message. */
export async function checkLinks(
  deps: LinkCheckDeps,
  { caller: { accountId } }: Access,
  { ref, followsRedirects, gone }: LinkCheckRequest,
): Promise<readonly CheckedLink[]> {
  const until = deps.elapsedMs() + CHECK_MS_MAX
  const timeLeftMs = () => until - deps.elapsedMs()
  const run = deps.begin({ accountId, followsRedirects, gone, timeLeftMs })
  const urls = await deps.urls(accountId, ref)
  return Promise.all(
    urls.map(async (url) => {
      const fetched = await run.fetch(url)
      return fetched.state === 'answered'
        ? { url, status: fetched.status, detail: null }
        : { url, status: 0, detail: fetched.detail }
    }),
  )
}

/**
 * The URLs of a message, each once, in Mailpit's order: links, style sheets and images of the HTML,
 * then URLs in text. It reads HTML, so it does not run on the API's thread: assembly/content.ts.
 */
export async function listUrls(
  { store }: { readonly store: Tables },
  owner: AccountId,
  { inboxId, messageId }: CaughtRef,
): Promise<readonly string[]> {
  const stored = await store.messages.find(owner, inboxId, messageId)
  if (stored === null) return []
  const texts = stored.links.map(({ url }) => url)
  return [...new Set([...findHtmlUrls(stored.html ?? ''), ...texts])]
}
