import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'

/** Adds an item to the next commit; resolves with its result once that is durable. */
export type GroupCommit<Item, Result> = (item: Item) => Promise<Result>

/** Items in one transaction. More gain nothing, and a burst must not become a huge transaction. */
const BATCH_MAX = 200

/** One result for each item, in order. */
type Commit<Item, Result> = (
  items: readonly Item[],
) => Promise<readonly (Result | Promise<Result>)[]>

type Waiting<Item, Result> = {
  readonly item: Item
  readonly resolve: (result: Result | Promise<Result>) => void
  readonly reject: (error: unknown) => void
}

/** How a group commit runs. */
type GroupCommitOptions = {
  /** Commits that run at a time; 1 by default. */
  readonly commitsMax?: number
  /** The pause after each commit, for items that are not awaited. */
  readonly restMs?: number
  /** Turns of the event loop between two commits: more items share the next one. */
  readonly restTurns?: number
  /** Items in one transaction, for a thread that a long one would hold up; 200 by default. */
  readonly batchMax?: number
}

/**
 * Commits together all items that are ready when the event loop turns, without a timer.
 *
 * What arrives while as many commits run as may is the next batch, so that under load more mails
 * share the cost of a commit. A failure rejects every item of its batch. A result may be a promise:
 * the next commit does not wait for it.
 */
export function createGroupCommit<Item, Result>(
  commit: Commit<Item, Result>,
  { commitsMax = 1, restMs = 0, restTurns = 0, batchMax = BATCH_MAX }: GroupCommitOptions = {},
): GroupCommit<Item, Result> {
  let waiting: Waiting<Item, Result>[] = []
  let running = 0
  let lastSize = 0
  let isScheduled = false

  const run = (): void => {
    isScheduled = false
    while (waiting.length > 0 && running < commitsMax) {
      const batch = waiting.slice(0, batchMax)
      // Beside another commit only as large a one: otherwise many small ones would run.
      if (running > 0 && batch.length < lastSize) return
      waiting = waiting.slice(batchMax)
      lastSize = batch.length
      running += 1
      void commitBatch(commit, batch).then(async () => {
        if (restMs > 0) await delay(restMs)
        for (let turns = 0; turns < restTurns; turns += 1) await turn()
        running -= 1
        run()
      })
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isScheduled || running >= commitsMax) return
      isScheduled = true
      // Runs after all ready sockets have been read, so that their mails share one batch.
      setImmediate(run)
    })
}

/**
 * Commits together the items with the same key that are ready, and items with different keys apart:
 * one commit a key at a time, and `commitsMax` in all.
 */
export function createKeyedCommit<Item, Result>(
  commit: Commit<Item, Result>,
  { keyOf, commitsMax }: { readonly keyOf: (item: Item) => string; readonly commitsMax: number },
): GroupCommit<Item, Result> {
  const waiting = new Map<string, Waiting<Item, Result>[]>()
  const running = new Set<string>()
  const run = () => {
    for (const [key, items] of waiting) {
      if (running.size >= commitsMax) return
      if (running.has(key)) continue
      waiting.delete(key)
      if (items.length > BATCH_MAX) waiting.set(key, items.slice(BATCH_MAX))
      running.add(key)
      void commitBatch(commit, items.slice(0, BATCH_MAX)).then(() => {
        running.delete(key)
        run()
      })
    }
  }
  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf(item)
      const items = waiting.get(key)
      if (items === undefined) waiting.set(key, [{ item, resolve, reject }])
      else items.push({ item, resolve, reject })
      run()
    })
}

async function commitBatch<Item, Result>(
  commit: Commit<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await commit(batch.map(({ item }) => item))
    for (const [i, { resolve, reject }] of batch.entries()) {
      const result = results[i]
      if (result === undefined) reject(new Error('the commit gave fewer results than items'))
      else resolve(result)
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
