import { setTimeout as delay } from 'node:timers/promises'

/** Adds an item to the next run; resolves with its result. */
export type Batched<Item, Result> = (item: Item) => Promise<Result>

/** Items in one run. More gain nothing, and a burst must not become a huge transaction. */
const BATCH_MAX = 200

/** How items are batched. */
export type BatchingOptions<Item> = {
  /** Runs at a time; 1 by default. */
  readonly runsMax?: number
  /** Items in one run. */
  readonly batchMax?: number
  /** The pause after each run, for items without a waiting caller. */
  readonly restMs?: number
  /** Items with different keys have runs of their own, one a key at a time. */
  readonly keyOf?: (item: Item) => string
}

type Waiting<Item, Result> = PromiseWithResolvers<Result> & { readonly item: Item }

/**
 * Runs together all items that are ready when the event loop turns, without a timer; `run` gives
 * one result for each, in order. Items that arrive while the most runs are in progress are the next
 * batch, so that under load more items share a run. A failure rejects all items of its run.
 */
export function createBatching<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { runsMax = 1, batchMax = BATCH_MAX, restMs = 0, keyOf }: BatchingOptions<Item> = {},
): Batched<Item, Result> {
  const waiting = new Map<string, Waiting<Item, Result>[]>()
  const runningKeys = new Set<string>()
  let running = 0
  let isScheduled = false

  const runBatch = async (key: string, batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    await settle(batch, run)
    if (restMs > 0) await delay(restMs)
    running -= 1
    runningKeys.delete(key)
    startRuns()
  }

  const startRuns = (): void => {
    isScheduled = false
    for (const [key, items] of waiting) {
      while (items.length > 0 && running < runsMax && !runningKeys.has(key)) {
        running += 1
        if (keyOf !== undefined) runningKeys.add(key)
        void runBatch(key, items.splice(0, batchMax))
      }
      if (items.length === 0) waiting.delete(key)
    }
  }

  return (item) => {
    const added = { ...Promise.withResolvers<Result>(), item }
    const key = keyOf?.(item) ?? ''
    const others = waiting.get(key)
    if (others === undefined) waiting.set(key, [added])
    else others.push(added)
    if (!isScheduled && running < runsMax) {
      isScheduled = true
      // Runs after all ready sockets have been read, so that all their items share one run.
      setImmediate(startRuns)
    }
    return added.promise
  }
}

async function settle<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    if (results.length !== batch.length)
      throw new Error('a run must return one result for each item')
    for (const [i, result] of results.entries()) batch[i]?.resolve(result)
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
