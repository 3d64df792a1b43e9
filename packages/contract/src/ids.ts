import { z } from 'zod'

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

/** Longest id accepted in a path. Ours have 30 characters. */
const ID_LENGTH_MAX = 64

/**
 * An id from a caller. Its format is not checked: an unknown id is answered with 404, whether or
 * not it could be one of ours.
 */
export function idSchema<Kind extends IdKind>(kind: Kind): z.core.$ZodBranded<z.ZodString, Kind> {
  const schema = z
    .string()
    .min(1)
    .max(ID_LENGTH_MAX)
    .meta({ example: `${ID_PREFIXES[kind]}01k9zq3v7d8s2m4n6p8r0t2w4y` })
  // zod's own `brand` cannot name a brand that is a type parameter; at run time it does nothing.
  return schema as z.core.$ZodBranded<z.ZodString, Kind>
}

/** ISO 8601 in UTC with milliseconds, the format of all date-times in responses. */
export const dateTimeSchema = z.iso
  .datetime({ precision: 3 })
  .meta({ example: '2026-01-31T09:30:00.000Z' })

/** A date-time from a caller: any ISO 8601 instant with a zone. */
export const instantSchema = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date-time with a time zone' })
  .meta({ example: '2026-01-31T09:30:00Z' })
