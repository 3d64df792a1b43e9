import type { Caller } from '../accounts/authenticate.ts'
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
