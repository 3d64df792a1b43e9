import type { RefusalCode } from '../../store/schema.ts'

/**
 * Why mail for an inbox was refused, with the values that its text needs.
 *
 * The code is stored beside the text: the advice follows from the code, so that neither the
 * wording nor anything that a sender wrote changes it.
 */
export type RefusalReason =
  | { readonly code: 'inbox_expired'; readonly expiredAt: number }
  | { readonly code: 'message_limit_reached'; readonly messageCount: number }
  | { readonly code: 'no_room'; readonly mailSizeBytes: number }
  | {
      readonly code: Exclude<RefusalCode, 'inbox_expired' | 'message_limit_reached' | 'no_room'>
    }

/** The reason as the diagnostics show it, in parentheses after the SMTP reply. */
export function reasonText(reason: RefusalReason): string {
  switch (reason.code) {
    case 'inbox_expired':
      return `the inbox had expired at ${new Date(reason.expiredAt).toISOString()}`
    case 'inbox_suspended':
      return 'the inbox is suspended'
    case 'message_limit_reached':
      return `the inbox holds ${reason.messageCount} messages, its limit`
    case 'size_limit_reached':
      return 'the inbox holds 250 MiB, its limit'
    case 'account_limit_reached':
      return 'the inboxes of the account hold as much mail as its plan allows'
    case 'no_room':
      return `no room for a mail of ${reason.mailSizeBytes} bytes: an inbox holds 1,000 messages and 250 MiB`
    case 'wrong_password':
      return 'SMTP AUTH named this inbox, but its password is not a key of this account'
    case 'no_catch_all_inbox':
      return 'SMTP AUTH named this inbox, which is not a catch-all inbox'
    default:
      return reason.code.replaceAll('_', ' ')
  }
}

const RETRY = 'The sender should try again; real mail servers do so automatically.'
const FULL = 'Delete the inbox and create a new one: it is full.'
const CUT_OFF = 'The connection was lost: check the log of the sender and the network.'
/** The advice when a sender rejects the certificate of STARTTLS. */
export const TLS_REMEDY =
  'Turn TLS off in the sender, let it accept the certificate, or set MAYFLY_SMTP_TLS_CERT and MAYFLY_SMTP_TLS_KEY to one that it trusts.'

/** The advice for a refusal. */
export const REMEDIES: Readonly<Record<RefusalCode, string>> = {
  inbox_expired: 'Create a new inbox, or one with a larger ttlSeconds.',
  inbox_suspended: 'Create a new inbox.',
  message_limit_reached: FULL,
  size_limit_reached: FULL,
  account_limit_reached: 'Delete inboxes or messages that you no longer need.',
  no_room: FULL,
  too_large: 'Send a smaller mail.',
  no_memory: RETRY,
  too_slow: CUT_OFF,
  timed_out: CUT_OFF,
  connection_lost: CUT_OFF,
  client_error: 'Look at the log of the sender.',
  shutting_down: RETRY,
  tls_failed: TLS_REMEDY,
  handler_failed: RETRY,
  wrong_password: 'Set the password of the SMTP settings to an API key of this account.',
  no_catch_all_inbox: 'Send without SMTP AUTH, or to a catch-all inbox (catchAll: true).',
}
