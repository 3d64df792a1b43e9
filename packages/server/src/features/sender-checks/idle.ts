import type { MailToCheck } from './queue.ts'

export type IdleCheckDeps = {
  /** Those of these mails that have no verdict. */
  readonly listMissing: (mailIds: readonly string[]) => Promise<readonly MailToCheck[]>
  /** Resolves when the mail was checked. */
  readonly check: (mail: MailToCheck) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Time without new mail after which the machine counts as idle. */
const QUIET_MS = 1_000

/** Mails kept for idle time, the newest. Others are checked when they are first read. */
const MAILS_MAX = 1_000

/** Checked at a time: half of the capacity, so that a mail that is read can be checked at once. */
const BATCH = 8

/** Checks mails that were not read yet while no mail arrives, the newest first. */
export class IdleChecks {
  readonly #deps: IdleCheckDeps
  readonly #mailIds: string[] = []
  /** Runs while mail arrives; null when it is quiet. */
  #quietTimer: NodeJS.Timeout | null = null
  #isRunning = false

  constructor(deps: IdleCheckDeps) {
    this.#deps = deps
  }

  /** Adds mails that were stored now. */
  add(mailIds: readonly string[]): void {
    this.#mailIds.push(...mailIds)
    if (this.#mailIds.length > MAILS_MAX) {
      this.#mailIds.splice(0, this.#mailIds.length - MAILS_MAX)
    }
    if (this.#quietTimer !== null) clearTimeout(this.#quietTimer)
    this.#quietTimer = setTimeout(() => {
      this.#quietTimer = null
      if (!this.#isRunning) this.#run().catch(this.#deps.onError)
    }, QUIET_MS)
  }

  /** Starts no more checks. */
  stop(): void {
    this.#mailIds.length = 0
    if (this.#quietTimer !== null) clearTimeout(this.#quietTimer)
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      while (this.#quietTimer === null && this.#mailIds.length > 0) {
        const newest = this.#mailIds.splice(-BATCH)
        const missing = await this.#deps.listMissing(newest)
        await Promise.all(missing.map(this.#deps.check))
      }
    } finally {
      this.#isRunning = false
    }
  }
}
