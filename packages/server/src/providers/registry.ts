import { brevo } from './brevo.ts'
import { mailersend } from './mailersend.ts'
import { mailgun } from './mailgun.ts'
import { mailjet } from './mailjet.ts'
import { mailtrap } from './mailtrap.ts'
import { mandrill } from './mandrill.ts'
import { postmark } from './postmark.ts'
import type { Provider } from './provider.ts'
import { resend } from './resend.ts'
import { sendgrid } from './sendgrid.ts'
import { ses } from './ses-v1.ts'
import { sparkpost } from './sparkpost.ts'
import { zeptomail } from './zeptomail.ts'

/** The providers whose APIs are served. */
export const PROVIDERS: readonly Provider[] = [
  ses,
  sendgrid,
  resend,
  postmark,
  mailgun,
  brevo,
  mandrill,
  mailtrap,
  mailjet,
  mailersend,
  sparkpost,
  zeptomail,
]
