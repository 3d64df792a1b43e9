import type { InboxId } from '@mayfly/contract'
import type { HeldKey, Subscriptions } from './subscriptions.ts'

/** What a wait is bounded by. */
export type WaitBounds = {
  readonly inboxId: InboxId
  /** 0 looks once. */
  readonly timeoutMs: number
  /** Fires when the client is gone. */
  readonly gone: AbortSignal
}

/** What looking until something is found needs. */
export type LookDeps = {
  readonly subscriptions: Subscriptions<InboxId>
  readonly key: HeldKey
  /** Called once, when nothing was found at first; its result is disposed of at the end. */
  readonly hold?: () => Disposable
}

/**
 * The first result of `look` that is not null; null when the time is up or the client is gone.
 *
 * Subscribes before it looks. A message stored between a look and a later subscription would be
 * missed; a subscription remembers what happened since it was last read.
 *
 * The timer is explicit: `AbortSignal.any` with `AbortSignal.timeout` takes 1.2 KB more for each
 * held wait, of which there are thousands.
 */
export async function lookUntil<T>(
  { subscriptions, key, hold }: LookDeps,
  { inboxId, timeoutMs, gone }: WaitBounds,
  look: (wakeNumber: number) => Promise<T | null>,
): Promise<T | null> {
  const deadline = new AbortController()
  const expire = () => deadline.abort()
  if (timeoutMs <= 0 || gone.aborted) expire()
  const timer = setTimeout(expire, timeoutMs)
  gone.addEventListener('abort', expire, { once: true })
  const subscription = subscriptions.subscribe(inboxId, key)
  let held: Disposable | undefined
  try {
    for (;;) {
      const found = await look(subscription.wakeNumber)
      if (found !== null || deadline.signal.aborted) return found
      held ??= hold?.()
      await subscription.next(deadline.signal)
    }
  } finally {
    clearTimeout(timer)
    gone.removeEventListener('abort', expire)
    subscription.close()
    held?.[Symbol.dispose]()
  }
}
