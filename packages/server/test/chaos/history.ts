// What happened in a run, as its clients saw it, and what the database holds at the end. Times are
// milliseconds of one clock, that of the program.

/** One mail that was sent; its subject is a token that no other mail has. */
export type Send = {
  readonly token: string
  readonly inboxId: string
  readonly node: number
  readonly startedAt: number
  /** When the reply came, or the connection was lost. */
  readonly endedAt: number
  /** The reply to the mail; null when the connection was lost before it came. */
  readonly reply: string | null
}

/** One page of messages, newest first, as a reader saw it. */
export type Read = {
  readonly inboxId: string
  readonly reader: string
  readonly messageIds: readonly string[]
  /** Whether older messages may be left out. */
  readonly isCut: boolean
}

/** One wait for any message of an inbox. */
export type Wait = {
  readonly inboxId: string
  /** When it would have ended by itself. */
  readonly deadlineAt: number
  readonly status: number
  readonly token: string | null
  /** The token that was asked for; null for any mail. */
  readonly askedFor: string | null
}

/** One request to a webhook's receiver. */
export type WebhookRequest = {
  readonly eventId: string
  readonly token: string
  readonly body: string
  readonly status: number
}

/** A fault that was played. */
export type PlayedFault = {
  readonly kind: string
  /** The nodes that must accept mail again. */
  readonly nodes: readonly number[]
  readonly endedAt: number
}

/** A try to send through a node, with the time of its end. */
export type Probe = { readonly node: number; readonly at: number; readonly isAccepted: boolean }

/** A process that ended by itself. */
export type UnexpectedExit = { readonly node: number; readonly reason: string }

/** A message of an inbox at the end, with its number in the database. */
export type StoredMessage = {
  readonly id: string
  readonly token: string
  readonly sequence: number
}

/** An inbox at the end. */
export type StoredInbox = {
  readonly inboxId: string
  readonly lastSequence: number
  readonly messageCount: number
  readonly sizeBytes: number
  readonly messages: readonly StoredMessage[]
}

/** A whole run. */
export type History = {
  readonly sends: readonly Send[]
  readonly reads: readonly Read[]
  readonly waits: readonly Wait[]
  readonly webhookRequests: readonly WebhookRequest[]
  readonly faults: readonly PlayedFault[]
  readonly probes: readonly Probe[]
  readonly exits: readonly UnexpectedExit[]
  readonly deletedInboxIds: readonly string[]
  /** All inboxes that were not deleted. */
  readonly inboxes: readonly StoredInbox[]
  /** Rows without an owner, by table. */
  readonly orphans: Readonly<Record<string, number>>
}

/** A history to which nothing has happened. */
export const EMPTY_HISTORY: History = {
  sends: [],
  reads: [],
  waits: [],
  webhookRequests: [],
  faults: [],
  probes: [],
  exits: [],
  deletedInboxIds: [],
  inboxes: [],
  orphans: {},
}
