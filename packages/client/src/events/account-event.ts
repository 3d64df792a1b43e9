import type { CallOptions } from '../connection.ts'
import type { DiagnosticEvent } from '../diagnostics.ts'
import type { InboxRecord } from '../inbox-calls.ts'
import type { MessageSummary } from '../messages.ts'
import type { OptionKinds } from '../options.ts'
import type { Delivery } from '../webhooks.ts'

/** An open wait of a client. */
export type HeldWait = {
  readonly id: string
  readonly inboxId: string
  readonly for: 'message' | 'otp'
  /** When it ends at the latest. */
  readonly deadline: string
}

type InboxCounts = Pick<InboxRecord, 'messageCount' | 'unreadCount'>

type MessageEvent = {
  readonly inboxId: string
  /** The numbers of the inbox with this change. */
  readonly inbox: InboxCounts
  readonly message: MessageSummary
}

/** The data of each event by its type. */
export type AccountEventData = {
  /** Events may be missing: load again what you show. */
  readonly reset: { readonly reason: 'not_resumable' | 'too_slow' | 'connection_lost' }
  readonly 'message.received': MessageEvent
  readonly 'message.updated': MessageEvent
  readonly 'message.deleted': {
    readonly inboxId: string
    readonly inbox: InboxCounts
    readonly messageIds: readonly string[]
  }
  readonly 'inbox.created': { readonly inbox: InboxRecord }
  readonly 'inbox.deleted': { readonly inboxId: string }
  readonly 'inbox.expired': { readonly inboxId: string }
  readonly diagnostics: { readonly inboxId: string; readonly event: DiagnosticEvent }
  readonly 'delivery.updated': { readonly delivery: Delivery }
  readonly 'wait.started': { readonly wait: HeldWait }
  readonly 'wait.ended': { readonly wait: HeldWait }
}

/** Something that happened in the account. */
export type AccountEvent = {
  [Type in keyof AccountEventData]: {
    readonly type: Type
    /** The stream can be resumed after it. */
    readonly id: string
  } & AccountEventData[Type]
}[keyof AccountEventData]

/** How events are followed. */
export type EventsOptions = CallOptions & {
  /** The `id` of the last event that you already have. Default: begins now. */
  readonly lastEventId?: string | undefined
  /** Called each time the stream is open: data loaded from now on misses no event. */
  readonly onOpen?: (() => void) | undefined
  /** Called when the stream was lost; it is opened again by itself. */
  readonly onLost?: ((error: unknown) => void) | undefined
}

/** The kinds of those options. */
export const EVENTS = {
  lastEventId: 'text',
  onOpen: 'function',
  onLost: 'function',
  signal: 'signal',
} as const satisfies OptionKinds<EventsOptions>
