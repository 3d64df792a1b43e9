/** Asks for one of many. */
type Query<Key, Result> = (key: Key) => Promise<Result>

type Waiting<Key, Result> = PromiseWithResolvers<Result> & { readonly key: Key }

/** Keys in one query. */
const BATCH_MAX = 200

/**
 * Asks by one query for everything that is asked for in one turn of the event loop.
 *
 * It begins after it was asked, so that its result is never older than the question; and it waits
 * for no other query, so that one that gets no response holds up only its own.
 */
export function createBatchedQuery<Key, Result>(
  query: (keys: readonly Key[]) => Promise<readonly Result[]>,
): Query<Key, Result> {
  let waiting: Waiting<Key, Result>[] = []

  const run = async (batch: readonly Waiting<Key, Result>[]): Promise<void> => {
    try {
      const results = await query(batch.map(({ key }) => key))
      if (results.length !== batch.length) throw new Error('not one result for each key')
      for (const [i, result] of results.entries()) batch[i]?.resolve(result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  const runAll = () => {
    const all = waiting
    waiting = []
    for (let at = 0; at < all.length; at += BATCH_MAX) void run(all.slice(at, at + BATCH_MAX))
  }

  return (key) => {
    const asked = { ...Promise.withResolvers<Result>(), key }
    // After all sockets that are ready have been read.
    if (waiting.length === 0) setImmediate(runAll)
    waiting.push(asked)
    return asked.promise
  }
}
