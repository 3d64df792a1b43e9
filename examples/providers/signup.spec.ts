import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@mayfly/client/vitest'
import { app as mailgun } from './mailgun.ts'
import { app as postmark } from './postmark.ts'
import { app as resend } from './resend.ts'
import { app as sendgrid } from './sendgrid.ts'
import { app as ses } from './ses.ts'

const APPS: Readonly<Record<string, Server>> = { ses, sendgrid, resend, postmark, mailgun }

for (const [name, app] of Object.entries(APPS)) {
  test(`a new user gets a code by ${name}`, async ({ inbox }) => {
    await once(app.listen(0, '127.0.0.1'), 'listening')
    // A server that listens on a port has an address of this kind.
    const { port } = app.address() as AddressInfo
    const post = (path: string, fields: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      })

    const email = inbox.emailAddress
    const { value: code, message } = await inbox.expectOtp(async () => {
      const response = await post('/signup', { email })
      expect(response.status, await response.text()).toBe(202)
    })
    expect((await post('/verify', { email, code })).status).toBe(200)
    expect(message.provider?.name).toBe(name)
    app.close()
  })
}
