import type { TotpOptions } from './totp/generate.ts'

/**
 * The code that an authenticator shows now: of a secret in Base32, or of the `otpauth://totp/…` URI
 * of a QR code. It is computed here; the secret is neither sent nor stored.
 */
export async function totp(secretOrUri: string, options: TotpOptions = {}): Promise<string> {
  // Loaded when it is used: most tests need mail alone.
  return (await import('./totp/generate.ts')).generate(secretOrUri, options)
}
