// No schemas here: threads that have no API load this table, and not zod.

import type { z } from 'zod'

/** Prefix of each kind of id, so that the kind of an id in a log is clear. */
export const ID_PREFIXES = {
  account: 'acc_',
  key: 'key_',
  inbox: 'inb_',
  message: 'msg_',
  attachment: 'att_',
  scenario: 'scn_',
  webhook: 'whk_',
  event: 'evt_',
  diagnostic: 'dia_',
} as const

/** The kinds of ids. */
export type IdKind = keyof typeof ID_PREFIXES

/** An id of one kind; ids of different kinds are not assignable to each other. */
export type Id<Kind extends IdKind> = string & z.$brand<Kind>

/** `acc_…` */
export type AccountId = Id<'account'>
/** `key_…` */
export type KeyId = Id<'key'>
/** `inb_…` */
export type InboxId = Id<'inbox'>
/** `msg_…` */
export type MessageId = Id<'message'>
/** `att_…` */
export type AttachmentId = Id<'attachment'>
/** `scn_…` */
export type ScenarioId = Id<'scenario'>
/** `whk_…` */
export type WebhookId = Id<'webhook'>
/** `evt_…` */
export type EventId = Id<'event'>
/** `dia_…` */
export type DiagnosticId = Id<'diagnostic'>
