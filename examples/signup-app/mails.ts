/** Bugs that the application can have on purpose. */
export const FAULTS = ['none', 'silent', 'misaddressed', 'codeless'] as const

/** A bug of the application: it sends nothing, to a wrong address, or a mail without a code. */
export type Fault = (typeof FAULTS)[number]

/** A mail as nodemailer takes it. */
export type Mail = {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The mail that a new user gets; null when the application forgets to send it. */
export function codeMail(user: {
  readonly email: string
  readonly code: string
  readonly url: string
  readonly fault: Fault
}): Mail | null {
  const { email, code, url, fault } = user
  if (fault === 'silent') return null
  const link = `${url}/verify?email=${encodeURIComponent(email)}&code=${code}`
  const isCodeless = fault === 'codeless'
  return {
    from: 'Example App <no-reply@app.example>',
    // Like a typing error.
    to: fault === 'misaddressed' ? email.replace(/.@/, '@') : email,
    subject: isCodeless ? 'Welcome to Example App' : 'Verify your email address',
    text: isCodeless
      ? 'Hello,\n\nthank you for signing up.\n\nExample App\n'
      : `Hello,\n\nyour verification code is ${code}.\n\nOr follow this link: ${link}\n\nExample App\n`,
    html: isCodeless
      ? '<p>Hello,</p><p>thank you for signing up.</p><p>Example App</p>'
      : `<p>Hello,</p><p>your verification code is <b>${code}</b>.</p><p>Or <a href="${link}">verify your address</a>.</p><p>Example App</p>`,
  }
}
