/** Checks at the same time. Each mostly waits for DNS. */
const RUNNING_MAX = 16

/** Mails that may wait. Above this the oldest stay unchecked until the next start. */
const WAITING_MAX = 10_000

/**
 * Mails whose sender checks are due. The newest is checked first: a test asks for the verdict of
 * the mail that it has just sent.
 */
export class CheckBacklog {
  readonly #check: (mailId: string) => Promise<void>
  readonly #onError: (error: unknown) => void
  readonly #waiting: string[] = []
  #running = 0
  #idle: (() => void) | null = null

  constructor(check: (mailId: string) => Promise<void>, onError: (error: unknown) => void) {
    this.#check = check
    this.#onError = onError
  }

  /** Adds mails, to be checked before those that wait already. */
  add(mailIds: readonly string[]): void {
    this.#waiting.push(...mailIds)
    if (this.#waiting.length > WAITING_MAX) {
      this.#waiting.splice(0, this.#waiting.length - WAITING_MAX)
    }
    this.#next()
  }

  /** Drops what waits, and resolves when the running checks have ended. */
  async stop(): Promise<void> {
    this.#waiting.length = 0
    if (this.#running === 0) return
    await new Promise<void>((resolve) => {
      this.#idle = resolve
    })
  }

  #next(): void {
    while (this.#running < RUNNING_MAX) {
      const mailId = this.#waiting.pop()
      if (mailId === undefined) return
      this.#running += 1
      this.#check(mailId)
        .catch(this.#onError)
        .finally(() => {
          this.#running -= 1
          if (this.#running === 0) this.#idle?.()
          this.#next()
        })
    }
  }
}
