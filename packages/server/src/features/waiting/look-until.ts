import type { InboxId } from '@mayfly/contract'
import type { HeldKey, Subscriptions } from './subscriptions.ts'

/** Tells when a client is gone, as an AbortSignal does; it may take less memory. */
type Gone = {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** What a wait is bounded by. */
export type WaitBounds = {
  readonly inboxId: InboxId
  /** 0 looks once. */
  readonly timeoutMs: number
  readonly gone: Gone
}

/** What looking until something is found needs. */
export type LookDeps = {
  readonly subscriptions: Subscriptions<InboxId>
  readonly key: HeldKey
  /** Called once, when nothing was found at first; its result is disposed of at the end. */
  readonly hold?: () => Disposable
  /** Called before the last look: resolves when mails that are accepted by then can be read. */
  readonly caughtUp?: () => Promise<unknown> | null
}

/**
 * The first result of `look` that is not null; null when the time is up or the client is gone.
 *
 * Subscribes before it looks. A message stored between a look and a later subscription would be
 * missed; a subscription remembers what happened since it was last read.
 *
 * A timer and a callback in place of an AbortSignal: there are thousands of held waits, and each
 * signal takes 0.4 KB without its listeners.
 */
export async function lookUntil<T>(
  { subscriptions, key, hold, caughtUp }: LookDeps,
  { inboxId, timeoutMs, gone }: WaitBounds,
  look: (wakeNumber: number) => Promise<T | null>,
): Promise<T | null> {
  const subscription = subscriptions.subscribe(inboxId, key)
  let isOver = timeoutMs <= 0 || gone.aborted
  const end = () => {
    isOver = true
    subscription.interrupt()
  }
  const timer = setTimeout(end, timeoutMs)
  gone.addEventListener('abort', end, { once: true })
  let held: Disposable | undefined
  try {
    for (;;) {
      const found = await look(subscription.wakeNumber)
      if (found !== null || isOver) return found
      held ??= hold?.()
      await subscription.happened()
      subscription.take()
      if (isOver && !gone.aborted) await caughtUp?.()
    }
  } finally {
    clearTimeout(timer)
    gone.removeEventListener('abort', end)
    subscription.close()
    held?.[Symbol.dispose]()
  }
}
