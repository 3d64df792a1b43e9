import { setTimeout as delay } from 'node:timers/promises'
import type { AccountId } from '@mayfly/contract'

/** The result of a fetch. */
export type Fetched =
  | { readonly state: 'responded'; readonly status: number; readonly url: string }
  | { readonly state: 'refused'; readonly detail: string }
  | { readonly state: 'failed'; readonly error: string; readonly detail: string }

/** Fetches one URL under the rules for outbound connections. */
export type FetchLink = (
  url: string,
  bounds: {
    /** Whose request it is. */
    readonly accountId: AccountId
    /** Otherwise a redirect is the response. */
    readonly followsRedirects: boolean
    readonly timeoutMs: number
    readonly signal: AbortSignal
  },
) => Promise<Fetched>

/** Counts the concurrent fetches of accounts, on this node and on others. */
export type LinkSlots = {
  /** A slot until it is disposed of; null when all are taken. */
  take(accountId: AccountId, kind: 'link', limit: number): Promise<AsyncDisposable | null>
}

/** The bounds of the fetches of one run. */
export type RunBounds = {
  readonly accountId: AccountId
  readonly followsRedirects: boolean
  /** One deadline for all links of the run. */
  readonly timeLeftMs: () => number
  /** Fires when the client is gone. */
  readonly gone: AbortSignal
}

/** The links of one run of assertions. */
export type LinkRun = {
  /** 0 or less when no further link is to be tried. */
  readonly timeLeftMs: () => number
  readonly fetch: (url: string) => Promise<Fetched>
}

/** Longest time for one link, redirects included. */
const LINK_TIMEOUT_MS = 10_000

/** Links that one account fetches at a time, over all its runs. */
const FETCHES_PER_ACCOUNT_MAX = 4

/** How soon to try again when other nodes hold all slots. */
const RETRY_MS = 200

/** Different links that one run fetches; a mail may contain hundreds. */
const LINKS_PER_RUN_MAX = 40

/** Fetches the links of runs; each link once in a run, however many assertions want it. */
export class LinkFetches {
  readonly #deps: { readonly fetchLink: FetchLink; readonly slots: LinkSlots }
  /** Running fetches of this node; links that are queued here ask for no slot. */
  readonly #running = new Map<AccountId, Set<Promise<Fetched>>>()

  constructor(deps: { readonly fetchLink: FetchLink; readonly slots: LinkSlots }) {
    this.#deps = deps
  }

  /** Begins a run. */
  begin(bounds: RunBounds): LinkRun {
    const fetched = new Map<string, Promise<Fetched>>()
    const timeLeftMs = () => (bounds.gone.aborted ? 0 : bounds.timeLeftMs())
    return {
      timeLeftMs,
      fetch: (url) => {
        const earlier = fetched.get(url)
        if (earlier !== undefined) return earlier
        if (fetched.size >= LINKS_PER_RUN_MAX) return Promise.resolve(TOO_MANY)
        const result = this.#fetchQueued(url, { ...bounds, timeLeftMs })
        fetched.set(url, result)
        return result
      },
    }
  }

  async #fetchQueued(url: string, bounds: RunBounds): Promise<Fetched> {
    const { accountId } = bounds
    let running = this.#runningOf(accountId)
    // Each fetch ends by its own timeout, so that every queued one runs.
    while (running.size >= FETCHES_PER_ACCOUNT_MAX) {
      // Of others: their failures are not those of this one.
      await Promise.race(running).catch(() => {})
      running = this.#runningOf(accountId)
    }
    const fetching = this.#fetchWithSlot(url, bounds)
    running.add(fetching)
    try {
      return await fetching
    } finally {
      running.delete(fetching)
      if (running.size === 0) this.#running.delete(accountId)
    }
  }

  async #fetchWithSlot(url: string, bounds: RunBounds): Promise<Fetched> {
    const { accountId, followsRedirects, timeLeftMs, gone } = bounds
    while (timeLeftMs() > 0) {
      await using slot = await this.#deps.slots.take(accountId, 'link', FETCHES_PER_ACCOUNT_MAX)
      const timeoutMs = Math.min(LINK_TIMEOUT_MS, timeLeftMs())
      if (slot !== null && timeoutMs > 0) {
        const limits = { accountId, followsRedirects, timeoutMs, signal: gone }
        return await this.#deps.fetchLink(url, limits)
      }
      await delay(Math.min(RETRY_MS, timeLeftMs()))
    }
    return NO_TIME
  }

  #runningOf(accountId: AccountId): Set<Promise<Fetched>> {
    const known = this.#running.get(accountId)
    if (known !== undefined) return known
    const running = new Set<Promise<Fetched>>()
    this.#running.set(accountId, running)
    return running
  }
}

const NO_TIME: Fetched = { state: 'failed', error: 'timeout', detail: 'No time was left.' }

const TOO_MANY: Fetched = {
  state: 'refused',
  detail: `One call fetches at most ${LINKS_PER_RUN_MAX} links.`,
}
