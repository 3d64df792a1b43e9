import { ServerClient } from 'postmark'
import { signupApp } from './signup.ts'

const host = process.env['POSTMARK_HOST']
const postmark = new ServerClient(
  process.env['POSTMARK_SERVER_TOKEN'] ?? '',
  host === undefined ? {} : { useHttps: false, requestHost: host },
)

export const app = signupApp(({ from, to, subject, text }) =>
  postmark.sendEmail({ From: from, To: to, Subject: subject, TextBody: text }),
)
