import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { signupApp } from './signup.ts'

// The endpoint, the region and the credentials are in the environment.
const ses = new SESv2Client()

export const app = signupApp(({ from, to, subject, text }) =>
  ses.send(
    new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: text } } } },
    }),
  ),
)
