import { detectOtp, type OtpFinding, parseMail } from '@mayfly/mail'
import type { Tables } from '../../store/all-tables.ts'
import { findRawBytes, rawBytes } from './bytes.ts'

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
  const { otp, candidates } = detectOtp(parseMail(await rawBytes(deps, mailId)), null)
  return new TextEncoder().encode(JSON.stringify({ otp, candidates }))
}

/** The finding for a mail when only codes of a form count; null when the mail was deleted. */
export async function findCode(
  deps: { readonly store: Tables },
  { mailId, format }: { readonly mailId: string; readonly format: string | null },
): Promise<OtpFinding | null> {
  const raw = await findRawBytes(deps, mailId)
  return raw === null ? null : detectOtp(parseMail(raw), format)
}
