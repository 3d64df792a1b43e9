import type { AccountId } from '@mayfly/contract'
import { findHtmlUrls, findTextUrls } from '@mayfly/mail'
import type { Tables } from '../../../store/all-tables.ts'
import type { CatchAllRef } from '../../../store/tables/catch-all-messages.ts'
import type { LinkFetches } from '../../assertions/link-fetches.ts'
import type { Access } from '../access.ts'

export type LinkCheckDeps = {
  /** Functions that run in another thread. */
  readonly content: {
    readonly listUrls: (owner: AccountId, ref: CatchAllRef) => Promise<readonly string[]>
  }
  readonly linkFetches: Pick<LinkFetches, 'begin'>
  readonly elapsedMs: () => number
}

/** A link and the status of its response: 0 without one, and `detail` then has the reason. */
type CheckedLink = {
  readonly url: string
  readonly status: number
  readonly detail: string | null
}

/** Longest time for all links together. */
const CHECK_MS_MAX = 20_000

/** Which message is checked, and how. */
type LinkCheckRequest = {
  readonly ref: CatchAllRef
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
  const run = deps.linkFetches.begin({ accountId, followsRedirects, gone, timeLeftMs })
  const urls = await deps.content.listUrls(accountId, ref)
  return Promise.all(
    urls.map(async (url) => {
      const fetched = await run.fetch(url)
      return fetched.state === 'responded'
        ? { url, status: fetched.status, detail: null }
        : { url, status: 0, detail: fetched.detail }
    }),
  )
}

/**
 * The URLs of a message as written, each once, in Mailpit's order: links, style sheets and images
 * of the HTML, then URLs in text. It reads HTML, so it does not run on the API's thread: see
 * app/content.ts.
 */
export async function listUrls(
  { store }: { readonly store: Tables },
  owner: AccountId,
  { inboxId, messageId }: CatchAllRef,
): Promise<readonly string[]> {
  const stored = await store.messages.find(owner, inboxId, messageId)
  if (stored === null) return []
  const ofText = stored.isHtmlOnly ? [] : findTextUrls(stored.text ?? '')
  return [...new Set([...findHtmlUrls(stored.html ?? ''), ...ofText])]
}
