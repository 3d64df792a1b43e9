import type { Otp, OtpCandidate } from '@mayfly/contract'
import { detect, parseMail } from '@mayfly/mail'
import type { Caller } from '../accounts/authenticate.ts'
import { readRaw } from './bytes.ts'
import type { MessageDeps, MessageRef } from './read.ts'

/**
 * Why a one-time code was found in a message, or none.
 *
 * Computed from the raw mail: the reasons are asked for too rarely to store them.
 */
export async function explainCode(
  deps: MessageDeps,
  caller: Caller,
  ref: MessageRef,
): Promise<{ otp: Otp | null; candidates: OtpCandidate[] }> {
  const { code } = detect(parseMail(await readRaw(deps, caller, ref)))
  const candidates = code.candidates.map((candidate) => ({
    ...candidate,
    reasonsFor: [...candidate.reasonsFor],
    reasonsAgainst: [...candidate.reasonsAgainst],
  }))
  return { otp: code.otp, candidates }
}
