import { z } from 'zod'

/** `9` and `A`, 3 to 16 of them, with single separators between them. */
const OTP_FORMAT = /^[9A](?:[ ._/-]?[9A]){2,15}$/

/** The form of a code that a caller knows. */
const otpFormatSchema = z.string().regex(OTP_FORMAT, {
  error:
    'must be made of 3 to 16 signs, 9 for a digit and A for a letter or digit, with single separators at most, such as 999999 or AAAA-AAAA',
})

/** The `otpFormat` of calls that look for a code. */
export const otpFormatField = otpFormatSchema
  .optional()
  .describe(
    'The form of the code: `9` is a digit, `A` a letter or digit, separators are ignored. Only values of this form count, and the likeliest is returned even when it would not be without the form.',
  )
  .meta({ example: '999999' })
