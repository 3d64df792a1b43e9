import type { InboxId, WebhookId } from '@mayfly/contract'

/** Something happened in these inboxes: whoever waits on one should look again. */
export type Signal = {
  readonly inboxIds: readonly InboxId[]
  /** Mails that were just stored. */
  readonly mailIds: readonly string[]
  /** When a client last connected, told now and then. */
  readonly connectedAt?: number
  /** Webhooks that something is to be sent to. */
  readonly webhookIds?: readonly WebhookId[]
}

/** Carries signals between threads. A lost one is harmless: whoever waits also looks by himself. */
export type Signals = {
  announce(signal: Signal): void
  /** Calls back for every signal until the returned function is called. */
  listen(listener: (signal: Signal) => void): () => void
  close(): void
}

/** Signals between all threads of this process that open the same name. */
export function openThreadSignals(name: string): Signals {
  const channel = new BroadcastChannel(name)
  const listeners = new Set<(signal: Signal) => void>()
  const tell = (signal: Signal) => {
    for (const listener of listeners) listener(signal)
  }
  channel.onmessage = (event: { readonly data: unknown }) => {
    // Only our own threads know the name.
    tell(event.data as Signal)
  }
  // It must not keep the process alive by itself.
  if ('unref' in channel && typeof channel.unref === 'function') channel.unref()
  return {
    announce: (signal) => {
      tell(signal)
      channel.postMessage(signal)
    },
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => channel.close(),
  }
}
