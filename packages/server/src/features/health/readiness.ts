import { failureReason, ServiceError } from '../../errors.ts'

/** The parts that this node needs to serve; each check throws on failure. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>

/**
 * Repeats a check only some time after its last success: readiness needs no key, and must not make
 * the service write all the time.
 */
export function atMostEvery(
  everyMs: number,
  elapsedMs: () => number,
  check: () => Promise<void>,
): () => Promise<void> {
  let succeededAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (elapsedMs() - succeededAt < everyMs) return
    await check()
    succeededAt = elapsedMs()
  }
}

/** Longest time of a check. Monitors and load balancers wait for few seconds. */
const CHECK_MS_MAX = 2_000

/** Runs the checks of this node. */
export class Readiness {
  readonly #checks: ReadinessChecks
  readonly #timeoutMs: number
  readonly #running = new Map<string, Promise<string | null>>()

  constructor(checks: ReadinessChecks, timeoutMs = CHECK_MS_MAX) {
    this.#checks = checks
    this.#timeoutMs = timeoutMs
  }

  /** Runs all checks at the same time; throws with the reason of each that failed. */
  async require(): Promise<void> {
    const results = await Promise.all(
      Object.entries(this.#checks).map(
        async ([name, check]) => [name, await this.#bounded(name, check)] as const,
      ),
    )
    const failed = results.filter(([, reason]) => reason !== null)
    if (failed.length === 0) return
    throw new ServiceError('not_ready', { fields: { checks: Object.fromEntries(failed) } })
  }

  async #bounded(name: string, check: () => Promise<void>): Promise<string | null> {
    const { promise: timedOut, resolve } = Promise.withResolvers<string>()
    const timer = setTimeout(
      () => resolve(`no response within ${this.#timeoutMs} ms`),
      this.#timeoutMs,
    )
    try {
      return await Promise.race([this.#run(name, check), timedOut])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Joins a run that has not ended: a hanging check must not be started repeatedly. */
  #run(name: string, check: () => Promise<void>): Promise<string | null> {
    const running = this.#running.get(name)
    if (running !== undefined) return running
    const run = check()
      .then(() => null, failureReason)
      .finally(() => this.#running.delete(name))
    this.#running.set(name, run)
    return run
  }
}
