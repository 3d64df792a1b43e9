import type { AccountId, InboxId, MessageId, WebhookId } from '@mayfly/contract'

/** TLS handshakes on the SMTP port that failed. */
export type FailedHandshakes = {
  /** How many, since the signal before. */
  readonly count: number
  /** Of the last one. */
  readonly at: number
  readonly remoteAddress: string
  readonly helo: string | null
  readonly reason: string
}

/** A refused command on the SMTP port that concerns no inbox. */
export type RefusedCommand = {
  readonly at: number
  /** The recipient is unknown, or the credentials are. */
  readonly kind: 'recipient' | 'login'
  /** The address or the user name. */
  readonly name: string
  readonly reply: string
}

/** Mails were stored. */
export type MailsStored = {
  readonly name: 'mailsStored'
  /** Inboxes with new messages. */
  readonly inboxIds: readonly InboxId[]
  readonly mailIds: readonly string[]
  /** Webhooks with new deliveries. */
  readonly webhookIds: readonly WebhookId[]
  /** Messages that inboxes dropped for newer ones. */
  readonly dropped: readonly {
    readonly accountId: AccountId
    readonly inboxId: InboxId
    readonly messageIds: readonly MessageId[]
  }[]
}

/** The signals between threads. */
type Signal =
  | MailsStored
  /** Something else happened in these inboxes. */
  | { readonly name: 'inboxesChanged'; readonly inboxIds: readonly InboxId[] }
  /** A client connected to the SMTP port; at most one signal a second. */
  | { readonly name: 'clientConnected' }
  | { readonly name: 'handshakesFailed'; readonly failed: FailedHandshakes }
  /** At most one signal a second. */
  | { readonly name: 'commandRefused'; readonly refused: RefusedCommand }

/** Carries signals between threads. A lost one is harmless: waits and dispatcher also poll. */
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
  let isClosed = false
  const notify = (signal: Signal) => {
    for (const listener of listeners) listener(signal)
  }
  channel.onmessage = (event: { readonly data: unknown }) => {
    // Only threads of this process know the name of the channel.
    notify(event.data as Signal)
  }
  // The channel must not keep the process alive.
  if ('unref' in channel && typeof channel.unref === 'function') channel.unref()
  return {
    announce: (signal) => {
      if (isClosed) return
      notify(signal)
      channel.postMessage(signal)
    },
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => {
      isClosed = true
      channel.close()
    },
  }
}
