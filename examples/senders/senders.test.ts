import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sharedService } from '../../packages/server/test/testing-start-service.ts'
import { missing, SENDERS, send } from './senders.ts'

/** Those that need nothing but what a machine with Node has, or most have. */
const EVERYWHERE = ['nodemailer', 'smtplib', 'curl']

describe('senders with their default settings', () => {
  const shared = sharedService()

  for (const sender of SENDERS.filter(({ name }) => EVERYWHERE.includes(name))) {
    it(`${sender.name} delivers`, async () => {
      const service = await shared()
      const client = await service.register()
      const inbox = await client.inboxes.create()
      const { smtpPort } = service
      assert.equal(await missing(sender), null)
      await send(sender, { smtpPort, emailAddress: inbox.emailAddress })
      const { otp } = await inbox.waitForMessage({ subject: sender.subject, timeoutSeconds: 10 })
      assert.equal(otp?.value, '481516')
    })
  }

  it('names what a sender needs and is not installed', async () => {
    const needs = { what: 'a program', check: ['no-such-program', '--version'] }
    assert.equal(await missing({ name: '', subject: '', command: () => [], needs }), 'a program')
  })
})
