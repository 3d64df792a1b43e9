import { z } from 'zod'

/** Letters and digits of a code. */
const FORMAT_SIGNS = { min: 3, max: 16 }

/** `9` and `A` with single separators between them. */
const OTP_FORMAT = /^[9A](?:[ ._/-]?[9A])*$/

/** The form of a code that a caller knows. */
const otpFormatSchema = z
  .string()
  .max(2 * FORMAT_SIGNS.max)
  .refine(isOtpFormat, {
    error: `must be made of ${FORMAT_SIGNS.min} to ${FORMAT_SIGNS.max} signs, 9 for a digit and A for a letter or digit, with single separators at most, such as 999999 or AAAA-AAAA`,
  })

function isOtpFormat(format: string): boolean {
  const { length } = format.replaceAll(/[^9A]/g, '')
  return OTP_FORMAT.test(format) && length >= FORMAT_SIGNS.min && length <= FORMAT_SIGNS.max
}

/** The `otpFormat` of calls that look for a code. */
export const otpFormatField = otpFormatSchema
  .optional()
  .describe(
    'The form of the code: `9` is a digit, `A` a letter or digit, separators are ignored. Only values of this form count, and the likeliest is returned even when it would not be without the form.',
  )
  .meta({ example: '999999' })
