import type { AssertionResult } from './evaluate.ts'
import { result, shown } from './evaluate.ts'

/** The result of a fetch. */
type Fetched =
  | { readonly state: 'answered'; readonly status: number; readonly url: string }
  | { readonly state: 'refused'; readonly detail: string }
  | { readonly state: 'failed'; readonly error: string; readonly detail: string }

/** Fetches one URL under the rules for outbound connections. */
export type FetchLink = (url: string, timeoutMs: number) => Promise<Fetched>

/** Links tried by one assertion, so that a mail cannot make us send hundreds of requests. */
const LINKS_TRIED_MAX = 10

/** Longest time for one link, redirects included. */
const LINK_TIMEOUT_MS = 10_000

/** Tries links in order until one answers 2xx, redirects followed. */
export async function checkLinks(
  urls: readonly string[],
  fetchLink: FetchLink,
  timeLeftMs: () => number,
): Promise<AssertionResult> {
  const tried: string[] = []
  for (const url of urls.slice(0, LINKS_TRIED_MAX)) {
    const timeoutMs = Math.min(LINK_TIMEOUT_MS, timeLeftMs())
    if (timeoutMs <= 0) {
      tried.push('no time was left for the rest')
      break
    }
    const fetched = await fetchLink(url, timeoutMs)
    if (fetched.state === 'answered' && fetched.status >= 200 && fetched.status < 300) {
      return result('linkResponds', true, `${shown(url)} answered ${fetched.status}`)
    }
    tried.push(`${shown(url)} ${describe(fetched)}`)
  }
  const more = urls.length - LINKS_TRIED_MAX
  const untried = more > 0 ? `; ${more} more were not tried` : ''
  return result('linkResponds', false, `no link responded: ${tried.join('; ')}${untried}`)
}

function describe(fetched: Fetched): string {
  if (fetched.state === 'answered') return `answered ${fetched.status}`
  if (fetched.state === 'refused') return `was not fetched: ${fetched.detail}`
  return `failed (${fetched.error}): ${fetched.detail}`
}
