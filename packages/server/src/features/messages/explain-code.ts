import { detect, parseMail } from '@mayfly/mail'
import type { Tables } from '../../store/all-tables.ts'
import { rawBytes } from './bytes.ts'

/**
 * The JSON of why a one-time code was found in a mail, or none.
 *
 * Computed from the raw mail: the reasons are requested too rarely to store them. In a file of its
 * own: the main thread, which does not compute it, would load the parser with it.
 */
export async function explainCodeOfMail(
  deps: { readonly store: Tables },
  mailId: string,
): Promise<Uint8Array> {
  const { otp, candidates } = detect(parseMail(await rawBytes(deps, mailId))).code
  return new TextEncoder().encode(JSON.stringify({ otp, candidates }))
}
