import type { AccountId, Link } from '@mayfly/contract'
import type { CaughtRef } from '../../../store/tables/caught.ts'
import type { Access } from '../access.ts'

/** What checking links needs. */
export type LinkCheckDeps = {
  /** The links of a message, in order. */
  readonly links: (owner: AccountId, ref: CaughtRef) => Promise<readonly Link[]>
  /** Begins to fetch links under the rules for outbound connections. */
  readonly begin: (bounds: {
    readonly accountId: AccountId
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

/** Tries all links of a message, redirects followed. */
export async function checkLinks(
  deps: LinkCheckDeps,
  { caller: { accountId } }: Access,
  { ref, gone }: { readonly ref: CaughtRef; readonly gone: AbortSignal },
): Promise<readonly CheckedLink[]> {
  const until = deps.elapsedMs() + CHECK_MS_MAX
  const run = deps.begin({ accountId, gone, timeLeftMs: () => until - deps.elapsedMs() })
  const links = (await deps.links(accountId, ref)).filter(({ url }) => /^https?:/i.test(url))
  return Promise.all(
    links.map(async ({ url }) => {
      const fetched = await run.fetch(url)
      return fetched.state === 'answered'
        ? { url, status: fetched.status, detail: null }
        : { url, status: 0, detail: fetched.detail }
    }),
  )
}
