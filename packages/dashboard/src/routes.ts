/** The tabs of a message. */
export const TABS = [
  'preview',
  'text',
  'code',
  'headers',
  'source',
  'delivery',
  'attachments',
] as const

/** A tab of a message. */
export type Tab = (typeof TABS)[number]

/** The pages beside the inboxes. */
const ACCOUNT_PAGES = ['keys', 'domains', 'webhooks', 'scenarios', 'usage', 'settings'] as const

/** A page beside the inboxes. */
export type AccountPage = (typeof ACCOUNT_PAGES)[number]

/** What the page shows. The fragment of its address says the same. */
export type Route =
  | { readonly page: 'inboxes' }
  | { readonly page: 'inbox'; readonly inboxId: string }
  | { readonly page: 'details'; readonly inboxId: string }
  | {
      readonly page: 'message'
      readonly inboxId: string
      readonly messageId: string
      /** Null: the first that has something to show. */
      readonly tab: Tab | null
    }
  | { readonly page: AccountPage }

/** The address of a route. */
export function hrefOf(to: Route): string {
  switch (to.page) {
    case 'inboxes':
      return '#/'
    case 'inbox':
      return `#/inboxes/${to.inboxId}`
    case 'details':
      return `#/inboxes/${to.inboxId}/details`
    case 'message':
      return `#/inboxes/${to.inboxId}/messages/${to.messageId}${to.tab === null ? '' : `/${to.tab}`}`
    default:
      return `#/${to.page}`
  }
}

/** The route of a fragment; one that means nothing shows the inboxes. */
export function parseRoute(fragment: string): Route {
  const [first, inboxId, part, messageId, tab] = fragment
    .replace(/^#\/?/, '')
    .split('/')
    .map((segment) => safeDecode(segment))
  const account = ACCOUNT_PAGES.find((page) => page === first)
  if (account !== undefined) return { page: account }
  if (first !== 'inboxes' || !inboxId) return { page: 'inboxes' }
  if (part === 'details') return { page: 'details', inboxId }
  if (part !== 'messages' || !messageId) return { page: 'inbox', inboxId }
  return { page: 'message', inboxId, messageId, tab: TABS.find((name) => name === tab) ?? null }
}

function safeDecode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
