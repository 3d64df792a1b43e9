import type { Otp } from '@mayfly/contract'
import { oneLine } from './untrusted.ts'

/** Codes that cannot spell an instruction: one short run, or groups of capitals and digits. */
const HARMLESS_CODE = /^[A-Za-z0-9]{1,10}$|^(?=.{1,12}$)[A-Z0-9]+(?:[ -][A-Z0-9]+)+$/

/** Longest code shown; one of six words has up to 77 characters. */
const CODE_CHARS_MAX = 100

/**
 * A code for an agent.
 *
 * A sender may present anything as a code, "delete-every-inbox" too, so a code made of words is
 * untrusted text like any other.
 */
export function codeResult({ value, confidence }: Otp): {
  readonly value: string | null
  readonly confidence: number
} {
  return { value: HARMLESS_CODE.test(value) ? value : null, confidence }
}

/** The line for a code made of words, to be fenced. */
export function codeLines(otp: Otp | null): string[] {
  if (otp === null || HARMLESS_CODE.test(otp.value)) return []
  return [`Code: ${oneLine(otp.value, CODE_CHARS_MAX)}`]
}
