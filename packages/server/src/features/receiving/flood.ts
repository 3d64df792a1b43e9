import type { InboxId } from '@mayfly/contract'

/** Mails to one inbox within the window, accepted or refused, past which it is a flood. */
const MAILS_MAX = 5_000

const WINDOW_MS = 10 * 60 * 1000

/** Inboxes watched at a time; a flood keeps its place, as the others leave with their window. */
const WATCHED_MAX = 100_000

/** Counts mails by inbox, on this thread, to find floods. */
export class FloodGuard {
  readonly #windows = new Map<InboxId, { readonly startedAt: number; mails: number }>()

  /** Counts one mail; true just when it makes the flood. */
  note(inboxId: InboxId, now: number): boolean {
    const window = this.#windows.get(inboxId)
    if (window === undefined || now - window.startedAt >= WINDOW_MS) {
      if (this.#windows.size >= WATCHED_MAX) this.#forgetOld(now)
      this.#windows.set(inboxId, { startedAt: now, mails: 1 })
      return false
    }
    window.mails += 1
    return window.mails === MAILS_MAX + 1
  }

  #forgetOld(now: number): void {
    for (const [id, { startedAt }] of this.#windows) {
      if (now - startedAt >= WINDOW_MS) this.#windows.delete(id)
    }
    if (this.#windows.size >= WATCHED_MAX) this.#windows.clear()
  }
}
