import type { AssertionResult } from './evaluate.ts'
import { result, shown } from './evaluate.ts'
import type { Fetched, LinkRun } from './link-fetches.ts'

/** Tries links in order until one answers 2xx, redirects followed. */
export async function checkLinks(
  { urls, untriedCount }: { readonly urls: readonly string[]; readonly untriedCount: number },
  run: LinkRun,
): Promise<AssertionResult> {
  const tried: string[] = []
  for (const url of urls) {
    if (run.timeLeftMs() <= 0) {
      tried.push('no time was left for the rest')
      break
    }
    const fetched = await run.fetch(url)
    if (fetched.state === 'responded' && fetched.status >= 200 && fetched.status < 300) {
      return result('linkResponds', true, `${shown(url)} responded with ${fetched.status}`)
    }
    tried.push(`${shown(url)} ${describe(fetched)}`)
  }
  const untried = untriedCount > 0 ? `; ${untriedCount} more were not tried` : ''
  return result('linkResponds', false, `no link responded: ${tried.join('; ')}${untried}`)
}

function describe(fetched: Fetched): string {
  if (fetched.state === 'responded') return `responded with ${fetched.status}`
  if (fetched.state === 'refused') return `was not fetched: ${fetched.detail}`
  return `failed (${fetched.error}): ${fetched.detail}`
}
