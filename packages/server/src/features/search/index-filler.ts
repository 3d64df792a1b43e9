import type { Remaining } from './fill-index.ts'

export type FillerDeps = {
  /** Adds some messages; returns what remains. */
  readonly fill: () => Promise<Remaining>
  readonly onError: (error: unknown) => void
}

/** Time without new mail after which messages are added: receiving has priority. */
const QUIET_MS = 300

/** How often messages are added while mail arrives all the time: the index must not stand still. */
const BUSY_MS = 1_000

/** Pause between two batches: on SQLite others may write in it. */
const PAUSE_MS = 5

/** The same while messages are being deleted, which takes seconds for very many. */
const LOCKED_PAUSE_MS = 100

/** Adds stored messages to the index, mostly while no mail arrives. */
export class IndexFiller {
  readonly #deps: FillerDeps
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  /** Since when there is something to add; null when there is not. */
  #dueSinceMs: number | null = null
  #isStopped = false

  constructor(deps: FillerDeps) {
    this.#deps = deps
  }

  /** Messages were stored. `nowMs` is of a monotonic clock. */
  stored(nowMs: number): void {
    if (this.#isStopped) return
    this.#dueSinceMs ??= nowMs
    const isOverdue = nowMs - this.#dueSinceMs >= BUSY_MS
    if (isOverdue && this.#running === null) {
      this.#dueSinceMs = nowMs
      this.#run('once')
    }
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#dueSinceMs = null
      this.#run('all')
    }, QUIET_MS)
  }

  /** Starts no more batches; resolves when the running one is done. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#running
  }

  #run(how: 'once' | 'all'): void {
    this.#running ??= this.#fill(how)
      .catch(this.#deps.onError)
      .finally(() => {
        this.#running = null
      })
  }

  async #fill(how: 'once' | 'all'): Promise<void> {
    for (;;) {
      const remaining = await this.#deps.fill()
      // New mail has set the timer: the rest waits for it.
      if (remaining === 'nothing' || how === 'once' || this.#timer !== null || this.#isStopped)
        return
      const pauseMs = remaining === 'more' ? PAUSE_MS : LOCKED_PAUSE_MS
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
