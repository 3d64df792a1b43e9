import { mailgun } from './mailgun.ts'
import { postmark } from './postmark.ts'
import type { Provider } from './provider.ts'
import { resend } from './resend.ts'
import { sendgrid } from './sendgrid.ts'
import { ses } from './ses-v1.ts'

/** The providers whose APIs are served. */
export const PROVIDERS: readonly Provider[] = [ses, sendgrid, resend, postmark, mailgun]
