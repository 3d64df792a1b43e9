import type { Browser, TestInfo } from '@playwright/test'
import type { Diagnostics } from '../diagnostics.ts'
import { describeMessage } from '../explain.ts'
import type { Inbox } from '../inbox.ts'
import type { Message } from '../messages.ts'
import { plain } from '../quote.ts'

/** Most mails that are attached: the newest ones, so that reports stay small. */
const MAILS_MAX = 5

/** The usual width of mail layouts. */
const VIEWPORT = { width: 720, height: 600 }

/** Attaches the mails of an inbox, screenshots of them, and the diagnostics. */
export async function attachMail(
  testInfo: TestInfo,
  inbox: Inbox,
  launch: () => Promise<Browser>,
): Promise<void> {
  const diagnostics = await inbox.diagnose()
  await testInfo.attach('mayfly diagnostics', {
    body: diagnosticsText(inbox, diagnostics),
    contentType: 'text/plain',
  })
  const { messages } = await inbox.listMessages({ limit: MAILS_MAX })
  const mails = await Promise.all(messages.map(({ id }) => inbox.readMessage(id)))
  for (const [index, mail] of mails.entries()) {
    const name = `mail ${index + 1}: ${plain(mail.subject ?? 'no subject', 60)}`
    const raw = Buffer.from(await inbox.readRaw(mail.id))
    await testInfo.attach(name, { body: mailText(mail), contentType: 'text/plain' })
    await testInfo.attach(`${name} (.eml)`, { body: raw, contentType: 'message/rfc822' })
  }
  await attachScreenshots(testInfo, mails, launch)
}

/** HTML is rendered without scripts and offline: only content of the mail itself is shown. */
async function attachScreenshots(
  testInfo: TestInfo,
  mails: readonly Message[],
  launch: () => Promise<Browser>,
): Promise<void> {
  if (mails.every(({ html }) => html === null)) return
  let browser: Browser | null = null
  try {
    browser = await launch()
    const page = await browser.newPage({
      javaScriptEnabled: false,
      offline: true,
      viewport: VIEWPORT,
    })
    for (const [index, { html }] of mails.entries()) {
      if (html === null) continue
      await page.setContent(html)
      const body = await page.screenshot({ fullPage: true })
      await testInfo.attach(`mail ${index + 1}, screenshot`, { body, contentType: 'image/png' })
    }
  } catch (error) {
    // Not thrown: a second error would hide the failure of the test.
    const body = `The mail could not be rendered: ${error}`
    await testInfo.attach('mail, screenshot', { body, contentType: 'text/plain' })
  } finally {
    await browser?.close()
  }
}

function diagnosticsText({ emailAddress }: Inbox, diagnostics: Diagnostics): string {
  const { state, domain, events, nextSteps } = diagnostics
  return [
    `${emailAddress} is ${state}; its domain ${domain.domain} is ${domain.status}.`,
    ...events.map(({ at, stage, detail }) => `${at}  ${stage}  ${plain(detail ?? '')}`),
    ...nextSteps.map((step) => `- ${step}`),
  ].join('\n')
}

function mailText(mail: Message): string {
  const code = mail.otp === null ? 'no code' : `code ${mail.otp.value}`
  const links = mail.links.map(({ url }) => `link ${url}`)
  return [describeMessage(mail), code, ...links, '', mail.text ?? ''].join('\n')
}
