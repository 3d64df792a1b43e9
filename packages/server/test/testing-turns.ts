/** How many turns the event loop makes until some work is done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let next = setImmediate(count)
  function count() {
    turns += 1
    next = setImmediate(count)
  }
  try {
    await work()
    return turns
  } finally {
    clearImmediate(next)
  }
}
