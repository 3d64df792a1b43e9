import type { InboxId } from '@mayfly/contract'

/** Recipients of one inbox within the window, accepted or refused, above which it is a flood. */
const RECIPIENTS_MAX = 5_000

const WINDOW_MS = 10 * 60 * 1000

/** Inboxes counted at a time; expired windows are removed first. */
const WINDOWS_MAX = 100_000

/** Counts recipients by inbox, on this thread, to detect floods. */
export class FloodDetector {
  readonly #windows = new Map<InboxId, { readonly startedAt: number; recipients: number }>()

  /** Counts one recipient; true only for the one that exceeds the limit. */
  count(inboxId: InboxId, now: number): boolean {
    const window = this.#windows.get(inboxId)
    if (window === undefined || now - window.startedAt >= WINDOW_MS) {
      if (this.#windows.size >= WINDOWS_MAX) this.#removeExpired(now)
      this.#windows.set(inboxId, { startedAt: now, recipients: 1 })
      return false
    }
    window.recipients += 1
    return window.recipients === RECIPIENTS_MAX + 1
  }

  #removeExpired(now: number): void {
    for (const [id, { startedAt }] of this.#windows) {
      if (now - startedAt >= WINDOW_MS) this.#windows.delete(id)
    }
    if (this.#windows.size >= WINDOWS_MAX) this.#windows.clear()
  }
}
