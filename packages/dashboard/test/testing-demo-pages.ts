import type { Page } from 'playwright-core'
import { TABS, type Tab } from '../src/routes.ts'
import type { Demo } from './testing-demo.ts'

/** A page of the dashboard as it is looked at. */
export type DemoPage = {
  readonly name: string
  readonly hash: (demo: Demo) => string
  readonly isSignedOut?: boolean
  /** What the reader does first. */
  readonly before?: (page: Page) => Promise<void>
  /** Undoes what others must not see. */
  readonly after?: (page: Page) => Promise<void>
}

const messageAt = (tab: Tab) => (demo: Demo) => {
  const messageId = tab === 'attachments' ? demo.attachmentsMessageId : demo.codeMessageId
  return `#/inboxes/${demo.inboxId}/messages/${messageId}/${tab}`
}

/** Every page, every tab, and the dialogs. */
export const DEMO_PAGES: readonly DemoPage[] = [
  { name: 'sign-in', hash: () => '', isSignedOut: true },
  {
    name: 'register',
    hash: () => '',
    isSignedOut: true,
    before: (page) => page.getByRole('button', { name: 'Create one' }).click(),
  },
  { name: 'home', hash: () => '#/' },
  { name: 'all-mail', hash: () => '#/mail' },
  { name: 'empty-inbox', hash: ({ emptyInboxId }) => `#/inboxes/${emptyInboxId}` },
  {
    name: 'empty-inbox-by-api',
    hash: ({ emptyInboxId }) => `#/inboxes/${emptyInboxId}`,
    before: async (page) => {
      await page.getByLabel('Send by').selectOption('Resend')
    },
    after: async (page) => {
      await page.getByLabel('Send by').selectOption('SMTP')
    },
  },
  { name: 'inbox', hash: ({ inboxId }) => `#/inboxes/${inboxId}` },
  { name: 'filtered', hash: ({ inboxId }) => `#/inboxes/${inboxId}?q=code%20-has:attachment` },
  { name: 'search-help', hash: () => '#/search' },
  { name: 'search', hash: () => '#/search?q=your%20-is:read' },
  { name: 'search-nothing', hash: () => '#/search?q=otp:000000' },
  { name: 'search-invalid', hash: () => '#/search?q=larger:tall' },
  {
    name: 'search-message',
    hash: ({ inboxId, codeMessageId }) =>
      `#/search/${inboxId}/messages/${codeMessageId}/text?q=code`,
  },
  { name: 'details', hash: ({ inboxId }) => `#/inboxes/${inboxId}/details` },
  ...TABS.map((tab) => ({ name: `message-${tab}`, hash: messageAt(tab) })),
  {
    name: 'message-delivery-by-api',
    hash: ({ api }) => `#/inboxes/${api.inboxId}/messages/${api.messageId}/delivery`,
  },
  ...['keys', 'domains', 'webhooks', 'scenarios', 'usage', 'settings'].map((page) => ({
    name: page,
    hash: () => `#/${page}`,
  })),
  {
    name: 'new-inbox',
    hash: () => '#/',
    before: (page) => page.getByRole('button', { name: 'New inbox' }).first().click(),
    after: (page) => page.keyboard.press('Escape'),
  },
  {
    name: 'keyboard',
    hash: ({ inboxId }) => `#/inboxes/${inboxId}`,
    before: (page) => page.keyboard.press('?'),
    after: (page) => page.keyboard.press('Escape'),
  },
  {
    name: 'deleted',
    hash: messageAt('text'),
    before: async (page) => {
      await page.getByRole('button', { name: 'Delete message' }).click()
      // The notice stays while the pointer is over it.
      await page.getByRole('button', { name: 'Undo' }).hover()
    },
    after: (page) => page.getByRole('button', { name: 'Undo' }).click(),
  },
]

/** Goes to a page and waits until it is complete. */
export async function showDemoPage(page: Page, demo: Demo, shown: DemoPage): Promise<void> {
  await page.goto(`${demo.service.httpUrl}/${shown.hash(demo)}`)
  await page.locator('main').waitFor()
  await page.locator('.loading').first().waitFor({ state: 'detached' })
  const frame = await page.locator('iframe').elementHandles()
  for (const shownFrame of frame) await (await shownFrame.contentFrame())?.waitForLoadState()
  await shown.before?.(page)
}
