import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@mayfly/contract'
import { checkLinks } from './link-check.ts'
import {
  type Fetched,
  type FetchLink,
  LinkFetches,
  type LinkRun,
  type LinkSlots,
} from './link-fetches.ts'

const ALICE = 'acc_1' as AccountId // A brand by hand: the test needs a fixed id.
const NOT_FOUND: Fetched = { state: 'responded', status: 404, url: '' }

/** Links of which none responds, and what was fetched of them. */
function brokenSite() {
  const fetched: string[] = []
  let running = 0
  let runningMost = 0
  const fetchLink: FetchLink = async (url) => {
    fetched.push(url)
    running += 1
    runningMost = Math.max(runningMost, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    return NOT_FOUND
  }
  return { fetchLink, fetched, runningMost: () => runningMost }
}

/** Slots of one account. */
function slotsOfOne(): LinkSlots & { held(): number } {
  let held = 0
  return {
    held: () => held,
    take: async (_accountId, _kind, limit) => {
      if (held >= limit) return null
      held += 1
      return {
        [Symbol.asyncDispose]: async () => {
          held -= 1
        },
      }
    },
  }
}

const urlsOf = (host: string, count: number) =>
  Array.from({ length: count }, (_, i) => `https://${host}.example/${i}`)

describe('LinkFetches', () => {
  const gone = new AbortController().signal
  const bounds = {
    ...{ accountId: ALICE, followsRedirects: true, timeLeftMs: () => 1_000, gone },
  }
  const check = (urls: readonly string[], run: LinkRun) =>
    checkLinks({ urls, untriedCount: 0 }, run)

  it('fetch each link once in a run, however many assertions want it', async () => {
    const { fetchLink, fetched } = brokenSite()
    const run = new LinkFetches({ fetchLink, slots: slotsOfOne() }).begin(bounds)
    const urls = urlsOf('a', 10)
    await Promise.all(Array.from({ length: 20 }, () => check(urls, run)))
    assert.deepEqual(fetched, urls)
  })

  it('fetch at most 40 links in a run, and say so', async () => {
    const { fetchLink, fetched } = brokenSite()
    const run = new LinkFetches({ fetchLink, slots: slotsOfOne() }).begin(bounds)
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => check(urlsOf(`h${i}`, 10), run)),
    )
    assert.equal(fetched.length, 40)
    assert.match(String(results[19]?.detail), /One call fetches at most 40 links\./)
  })

  it('fetch 4 links of an account at a time, over all its runs', async () => {
    const { fetchLink, runningMost } = brokenSite()
    const fetches = new LinkFetches({ fetchLink, slots: slotsOfOne() })
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => check(urlsOf(`h${i}`, 5), fetches.begin(bounds))),
    )
    assert.equal(runningMost(), 4)
  })

  it('fetch 4 links of an account at a time, over all nodes', async () => {
    const { fetchLink, fetched, runningMost } = brokenSite()
    const slots = slotsOfOne()
    const nodes = [1, 2, 3].map(() => new LinkFetches({ fetchLink, slots }))
    await Promise.all(
      nodes.flatMap((node, i) =>
        [1, 2, 3].map((run) => check(urlsOf(`h${i}-${run}`, 5), node.begin(bounds))),
      ),
    )
    assert.deepEqual([fetched.length, runningMost(), slots.held()], [45, 4, 0])
  })

  it('wait for a slot no longer than there is time', async () => {
    const { fetchLink, fetched } = brokenSite()
    const slots: LinkSlots = { take: async () => null }
    const until = performance.now() + 300
    const timeLeftMs = () => until - performance.now()
    const run = new LinkFetches({ fetchLink, slots }).begin({ ...bounds, timeLeftMs })
    const { passed, detail } = await check(urlsOf('a', 3), run)
    assert.deepEqual([passed, fetched.length], [false, 0])
    assert.match(detail, /No time was left/)
  })

  it('fetch nothing after the deadline of the run or when the client has gone', async () => {
    for (const over of [{ timeLeftMs: () => 0 }, { gone: AbortSignal.abort() }]) {
      const { fetchLink, fetched } = brokenSite()
      const run = new LinkFetches({ fetchLink, slots: slotsOfOne() }).begin({
        ...bounds,
        ...over,
      })
      const { passed, detail } = await check(urlsOf('a', 3), run)
      assert.deepEqual([passed, fetched.length], [false, 0])
      assert.match(detail, /no time was left/)
    }
  })
})
