import { Secret, TOTP, URI } from 'otpauth'
import { z } from 'zod'
import { ServiceError } from '../../errors.ts'
import { defineTool, READ_ONLY } from '../tool.ts'

/** Second factors of an authenticator. */
export const totpTools = [
  defineTool({
    name: 'authenticator_code',
    description:
      'Returns the code (TOTP) that an authenticator app shows now. Use it when a login asks for a second factor whose secret you have. Nothing is stored.',
    input: z.strictObject({
      secret: z.string().min(1).max(2_000).describe('Base32, or the otpauth://totp/… URI.'),
    }),
    annotations: READ_ONLY,
    run: async ({ now }, { secret }) => {
      const totp = authenticatorOf(secret.trim())
      const timestamp = now()
      const validMs = totp.remaining({ timestamp })
      return { code: totp.generate({ timestamp }), validSeconds: Math.ceil(validMs / 1000) }
    },
  }),
]

function authenticatorOf(secret: string): TOTP {
  try {
    if (!/^otpauth:/i.test(secret)) {
      return new TOTP({ secret: Secret.fromBase32(secret.replace(/[\s-]/g, '')) })
    }
    const parsed = URI.parse(secret)
    if (parsed instanceof TOTP) return parsed
  } catch {
    // Not with the library's words: they may quote the secret.
  }
  const message = 'secret: must be in Base32, or an otpauth://totp/… URI'
  throw new ServiceError('invalid_parameter', { message })
}
