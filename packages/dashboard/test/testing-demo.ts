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
  /** A message that was sent by the API of a provider. */
  readonly api: { readonly inboxId: string; readonly messageId: string }
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
    api: await sendByApi(service, account),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** Sends a mail by the API of a provider to an inbox of its own. */
async function sendByApi(service: TestService, account: TestAccount): Promise<Demo['api']> {
  const inbox = await createInbox(account, 'receipts')
  await fetch(`${service.httpUrl}/providers/resend/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      from: 'Acme <shop@acme.example>',
      to: inbox.emailAddress,
      subject: 'Your receipt',
      html: '<p>Thank you for your order.</p>',
      tags: [{ name: 'kind', value: 'receipt' }],
      attachments: [{ filename: 'receipt.txt', content: 'VG90YWw6IDEyLjAw' }],
    }),
  })
  const { messages } = (await account.get(`/v1/inboxes/${inbox.id}/messages`)).body
  return { inboxId: inbox.id, messageId: messages[0].id }
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
