import type { Log } from '../platform/log.ts'

/** Work that is done again and again until it is stopped. */
export type Background = {
  /** Begins no more, and waits for what is under way. */
  stop(): Promise<void>
}

/** Does `work` every so often; never twice at a time, and a failure only waits for the next. */
export function runEvery(
  everyMs: number,
  about: { readonly name: string; readonly log: Log },
  work: () => Promise<void>,
): Background {
  let underWay: Promise<void> | null = null
  const run = async () => {
    try {
      await work()
    } catch (error) {
      about.log.warn({ err: error }, `${about.name} failed; trying again`)
    } finally {
      underWay = null
    }
  }
  const timer = setInterval(() => {
    underWay ??= run()
  }, everyMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await underWay
    },
  }
}
