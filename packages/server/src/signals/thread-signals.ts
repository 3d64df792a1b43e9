import type { AccountId, InboxId, MessageId, WebhookId } from '@mayfly/contract'
import type { AnnouncedMessage } from '../store/tables/candidates.ts'

/** TLS handshakes on the SMTP port that failed. */
export type FailedHandshakes = {
  /** How many, since the announcement before. */
  readonly count: number
  /** Of the last one. */
  readonly at: number
  readonly remoteAddress: string
  readonly helo: string | null
  readonly reason: string
}

/** A command on the SMTP port that was refused, and that no inbox is concerned by. */
export type RefusedCommand = {
  readonly at: number
  /** The recipient is unknown, or the credentials are. */
  readonly kind: 'recipient' | 'login'
  /** The address or the user name. */
  readonly name: string
  readonly reply: string
}

/** The mails of an account, or of one of its inboxes. */
export type WantedMails = { readonly accountId: AccountId; readonly inboxId?: InboxId }

/** An announcement that something happened. */
export type Signal = {
  /** Inboxes whose waits and streams should look again. */
  readonly inboxIds: readonly InboxId[]
  /** Mails that were stored. */
  readonly mailIds: readonly string[]
  /** When a client connected to the SMTP port; at most one announcement a second. */
  readonly connectedAt?: number
  readonly failedHandshakes?: FailedHandshakes
  /** At most one announcement a second. */
  readonly refusedCommand?: RefusedCommand
  /** Webhooks with new deliveries. */
  readonly webhookIds?: readonly WebhookId[]
  /** Mails that are accepted are stored later, unless somebody waits for them. */
  readonly storesLater?: true
  /** An account, or one of its inboxes, whose accepted mails somebody waits for. */
  readonly wanted?: WantedMails
  /** Messages that were stored, as far as somebody waits for those of their inboxes. */
  readonly messages?: readonly AnnouncedMessage[]
  /** Messages that inboxes dropped for newer ones. */
  readonly dropped?: readonly {
    readonly accountId: AccountId
    readonly inboxId: InboxId
    readonly messageIds: readonly MessageId[]
  }[]
}

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
      notify(signal)
      channel.postMessage(signal)
    },
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => channel.close(),
  }
}
