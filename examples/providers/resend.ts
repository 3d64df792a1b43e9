import { Resend } from 'resend'
import { signupApp } from './signup.ts'

// The key and the base URL are in the environment.
const resend = new Resend()

export const app = signupApp(async (mail) => {
  const { error } = await resend.emails.send(mail)
  if (error !== null) throw new Error(error.message)
})
