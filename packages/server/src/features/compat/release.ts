// Sends a message on to a mail server that the operator named. There is no other way out for mail.

import type { OutboundMail } from '../../platform/outbound/send-mail.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { CatchAllRef } from '../../store/tables/catch-all-messages.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { Access } from './access.ts'

export type ReleaseDeps = {
  readonly store: Tables
  /** The servers that mail may go to, as `host:port`; the first is the default. */
  readonly releaseHosts: readonly string[]
  readonly readRaw: (caller: Caller, ref: CatchAllRef) => Promise<Uint8Array>
  readonly sendMail: (mail: OutboundMail) => Promise<void>
}

/** Where a message is to go. */
export type ReleaseRequest = {
  readonly ref: CatchAllRef
  /** `host:port`; null for the default. */
  readonly host: string | null
  /** Null for those of the message. */
  readonly recipients: readonly string[] | null
  readonly login: OutboundMail['login']
}

/** The outcome of a release; `reason` is for the caller. */
export type ReleaseResult =
  | { readonly state: 'sent' }
  | { readonly state: 'off' | 'refused' | 'failed'; readonly reason: string }

/** As many as a mail may have when it is received. */
const RECIPIENTS_MAX = 100

/** No white space and no angle brackets: an address must not add anything to an SMTP command. */
const ADDRESS = /^[^\s<>@]{1,64}@[^\s<>@]{1,255}$/

/** Sends the bytes of a message, unchanged, with its sender. */
export async function releaseMessage(
  deps: ReleaseDeps,
  access: Access,
  { ref, host, recipients: given, login }: ReleaseRequest,
): Promise<ReleaseResult> {
  const [first] = deps.releaseHosts
  if (first === undefined) return { state: 'off', reason: 'SMTP relay is not enabled' }
  const allowed = deps.releaseHosts.find((one) => one === (host ?? first).toLowerCase())
  if (allowed === undefined) {
    return { state: 'refused', reason: `${host} is not one of MAYFLY_RELEASE_HOSTS` }
  }
  const { accountId } = access.caller
  const message = await deps.store.messages.find(accountId, ref.inboxId, ref.messageId)
  if (message === null) return { state: 'refused', reason: 'the message was deleted' }
  const recipients = given ?? message.recipients
  if (recipients.length === 0 || recipients.length > RECIPIENTS_MAX) {
    return { state: 'refused', reason: `1 to ${RECIPIENTS_MAX} recipients are needed` }
  }
  const wrong = recipients.find((address) => !ADDRESS.test(address))
  if (wrong !== undefined) return { state: 'refused', reason: `invalid address: ${wrong}` }
  const raw = await deps.readRaw(access.caller, ref)
  const { mailFrom } = message.envelope
  try {
    await deps.sendMail({ server: serverOf(allowed), mailFrom, recipients, raw, login })
    return { state: 'sent' }
  } catch (error) {
    return { state: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}

function serverOf(address: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(`smtp://${address}`)
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}
