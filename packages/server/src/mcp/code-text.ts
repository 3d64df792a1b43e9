import { type Otp, otpSchema } from '@mayfly/contract'
import type { z } from 'zod'
import { oneLine } from './untrusted.ts'

/** Codes that cannot say anything: one short run, or groups of capitals and digits. */
const SAYS_NOTHING = /^[A-Za-z0-9]{1,10}$|^(?=.{1,12}$)[A-Z0-9]+(?:[ -][A-Z0-9]+)+$/

/** Longest code that is shown; one of six words has up to 77 characters. */
const CODE_CHARS_MAX = 100

/** A code as a tool answers it. */
export const codeAnswerSchema = otpSchema.extend({
  value: otpSchema.shape.value
    .nullable()
    .describe('Type it as it is. Null for a code made of words, which stands in untrusted.'),
})

/**
 * A code for an agent.
 *
 * A sender may call anything his code, "delete-every-inbox" too, so a code made of words is
 * a sender's words like any others.
 */
export function codeAnswer({ value, confidence }: Otp): z.output<typeof codeAnswerSchema> {
  return { value: SAYS_NOTHING.test(value) ? value : null, confidence }
}

/** The line that tells a code made of words, to be fenced. */
export function codeLines(otp: Otp | null): string[] {
  if (otp === null || SAYS_NOTHING.test(otp.value)) return []
  return [`Code: ${oneLine(otp.value, CODE_CHARS_MAX)}`]
}
