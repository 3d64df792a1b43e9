import type { Log } from './log.ts'

/** Work that is repeated until it is stopped. */
export type Background = {
  /** Starts no further run, and waits for the one that is in progress. */
  stop(): Promise<void>
}

/**
 * Runs `work` at an interval. Runs never overlap; a failure is logged under `about.name`, and the
 * next run follows as usual.
 */
export function runEvery(
  everyMs: number,
  about: { readonly name: string; readonly log: Log },
  work: () => Promise<void>,
): Background {
  let running: Promise<void> | null = null
  const run = async () => {
    try {
      await work()
    } catch (error) {
      about.log.warn({ err: error }, `${about.name} failed; trying again`)
    } finally {
      running = null
    }
  }
  const timer = setInterval(() => {
    running ??= run()
  }, everyMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}
