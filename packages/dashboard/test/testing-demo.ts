import type { TestAccount } from '../../server/test/testing-account.ts'
import { testClock } from '../../server/test/testing-clock.ts'
import { startService, type TestService } from '../../server/test/testing-start-service.ts'
import { DEMO_MAILS } from './testing-demo-mails.ts'

/** A service with an account that looks as if it had been used for a while. */
export type Demo = AsyncDisposable & {
  readonly service: TestService
  readonly account: TestAccount
  readonly inboxId: string
  readonly emptyInboxId: string
  /** The message with a code, and the one with attachments. */
  readonly codeMessageId: string
  readonly attachmentsMessageId: string
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Starts a service and fills an account, as if it were `usedDays` old. */
export async function startDemo(usedDays = 0): Promise<Demo> {
  const today = Date.now()
  const clock = testClock(today - usedDays * DAY_MS)
  const service = await startService({ clock })
  const account = await service.register('robin@acme.example')
  for (let day = usedDays; day > 0; day -= 1) {
    clock.ms = today - day * DAY_MS
    await useForDay(account, day)
  }
  clock.ms = today
  const others = ['checkout-e2e', 'password-reset', 'invite-flow']
  for (const localPart of others) await createInbox(account, localPart)
  const empty = await createInbox(account, 'newsletter-optin')
  const inbox = await createInbox(account, 'signup-test')
  for (const { from, source } of DEMO_MAILS) {
    const raw = `From: ${from}\r\nTo: ${inbox.emailAddress}\r\n${source}`
    await service.sendMail({ to: inbox.emailAddress, raw })
  }
  await service.sendMail({
    to: others.map((name) => `${name}@mayfly.test`),
    subject: 'Hello',
    text: 'Hi',
  })
  // A slip of the pen: diagnostics tell of it.
  await service.sendMails([{ to: empty.emailAddress.replace('optin', 'option'), text: 'Hi' }])
  await fillPages(account)
  const { messages } = (await account.get(`/v1/inboxes/${inbox.id}/messages`)).body
  return {
    service,
    account,
    inboxId: inbox.id,
    emptyInboxId: empty.id,
    codeMessageId: messages[0].id,
    attachmentsMessageId: messages[3].id,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

async function createInbox(account: TestAccount, localPart: string) {
  return (await account.post('/v1/inboxes', { localPart })).body.inbox
}

/** A working week: more in its middle, little at its end. */
async function useForDay(account: TestAccount, day: number): Promise<void> {
  const calls = [15, 60, 85, 104, 77, 52, 9][day % 7] ?? 0
  await Promise.all(Array.from({ length: calls }, () => account.get('/v1/inboxes')))
  if (calls > 50) await account.post('/v1/inboxes', { ttlSeconds: 600 })
}

async function fillPages(account: TestAccount): Promise<void> {
  await account.post('/v1/keys', { name: 'GitHub Actions', role: 'member', environment: 'test' })
  await account.post('/v1/keys', { name: 'Staging', role: 'admin' })
  await account.post('/v1/domains', { domain: 'mail.acme.example' })
  await account.post('/v1/webhooks', { url: 'https://hooks.acme.example/mayfly' })
  await account.post('/v1/scenarios', {
    name: 'Sign-up mail',
    timeoutSeconds: 20,
    assertions: [
      { type: 'otpPresent' },
      { type: 'containsText', text: 'Confirm your email' },
      { type: 'auth', check: 'dkim' },
    ],
  })
}
