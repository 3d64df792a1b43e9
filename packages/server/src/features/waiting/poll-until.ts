import type { InboxId } from '@mayfly/contract'
import type { Subscriptions, WaitKey } from './subscriptions.ts'

/** Reports that a client has disconnected, as an AbortSignal does; it may take less memory. */
type Gone = {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The bounds of a wait. */
export type WaitBounds = {
  readonly inboxId: InboxId
  /** 0 queries once. */
  readonly timeoutMs: number
  readonly gone: Gone
}

/** A wait of the caller with this key. */
type OpenWait = WaitBounds & {
  readonly key: WaitKey
  /** Called once, when nothing was found at first; its result is disposed of at the end. */
  readonly register?: () => Disposable
}

/**
 * The first result of `poll` that is not null; null after the timeout or a disconnect, or when
 * `poll` has called `end`.
 *
 * Subscribes before it queries. A message stored between a query and a later subscription would be
 * missed; a subscription remembers wakes since it was last read.
 *
 * A timer and a callback in place of an AbortSignal: there are thousands of open waits, and each
 * signal takes 0.4 KB without its listeners.
 */
export async function pollUntil<T>(
  { subscriptions }: { readonly subscriptions: Subscriptions<InboxId> },
  { inboxId, timeoutMs, gone, key, register }: OpenWait,
  poll: (wakeNumber: number, end: () => void) => Promise<T | null>,
): Promise<T | null> {
  const subscription = subscriptions.subscribe(inboxId, key)
  let isOver = timeoutMs <= 0 || gone.aborted
  const end = () => {
    isOver = true
    subscription.interrupt()
  }
  const timer = setTimeout(end, timeoutMs)
  gone.addEventListener('abort', end, { once: true })
  let registered: Disposable | undefined
  try {
    for (;;) {
      const found = await poll(subscription.wakeNumber, end)
      if (found !== null || isOver) return found
      registered ??= register?.()
      await subscription.happened()
      subscription.take()
    }
  } finally {
    clearTimeout(timer)
    gone.removeEventListener('abort', end)
    subscription.close()
    registered?.[Symbol.dispose]()
  }
}
