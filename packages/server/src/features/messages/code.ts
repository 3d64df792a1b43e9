import { detect, parseMail } from '@mayfly/mail'
import type { Tables } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { rawBytes } from './bytes.ts'
import type { MessageRef } from './message-ref.ts'
import { getMailId, type MessageDeps } from './read.ts'

/** The JSON of why a one-time code was found in a message, or none. */
export async function explainCode(
  deps: MessageDeps,
  caller: Caller,
  ref: MessageRef,
): Promise<Uint8Array> {
  return deps.content.explainCode(caller.accountId, await getMailId(deps, caller, ref))
}

/**
 * The same for a mail.
 *
 * Computed from the raw mail: the reasons are asked for too rarely to store them.
 */
export async function explainCodeOfMail(
  deps: { readonly store: Tables },
  mailId: string,
): Promise<Uint8Array> {
  const { otp, candidates } = detect(parseMail(await rawBytes(deps, mailId))).code
  return new TextEncoder().encode(JSON.stringify({ otp, candidates }))
}
