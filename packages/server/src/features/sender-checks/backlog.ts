/** Checks under way at a time. Each waits for DNS most of its life. */
const RUNNING_MAX = 16

/** Mails that may wait. Past this the oldest go unchecked until the next start. */
const WAITING_MAX = 10_000

/**
 * Mails whose checks are due: the newest first, since a test that asks for a verdict asks for
 * that of the mail it just sent, however many came before.
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

  /** Puts mails on top of the pile. */
  add(mailIds: readonly string[]): void {
    this.#waiting.push(...mailIds)
    if (this.#waiting.length > WAITING_MAX) {
      this.#waiting.splice(0, this.#waiting.length - WAITING_MAX)
    }
    this.#next()
  }

  /** Takes nothing more, and resolves when what runs is done. */
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
