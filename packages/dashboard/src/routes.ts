/** The tabs of a message. */
export const TABS = [
  'preview',
  'text',
  'code',
  'headers',
  'source',
  'delivery',
  'attachments',
  'check',
] as const

/** A tab of a message. */
export type Tab = (typeof TABS)[number]

/** The pages beside the inboxes. */
const ACCOUNT_PAGES = ['keys', 'domains', 'webhooks', 'scenarios', 'usage', 'settings'] as const

/** A page beside the inboxes. */
export type AccountPage = (typeof ACCOUNT_PAGES)[number]

/** A route: the state of the page that the fragment of its address contains. */
export type Route =
  | { readonly page: 'inboxes' }
  /** The newest mail of all inboxes; beside them where there is room. */
  | { readonly page: 'mail' }
  /** `q`: a query that the listed messages match. */
  | { readonly page: 'inbox'; readonly inboxId: string; readonly q?: string }
  | { readonly page: 'details'; readonly inboxId: string }
  | MessageRoute
  | { readonly page: 'search'; readonly q: string }
  | { readonly page: AccountPage }

type MessageRoute = {
  readonly page: 'message'
  readonly inboxId: string
  readonly messageId: string
  /** Null: the first that has something to show. */
  readonly tab: Tab | null
  /** The query of the list that it is read from. */
  readonly q?: string
  /** Whether that list is a search over all inboxes; without a query, their newest mail. */
  readonly isFound?: true
}

/** The address of a route. */
export function hrefOf(to: Route): string {
  switch (to.page) {
    case 'inboxes':
      return '#/'
    case 'mail':
      return '#/mail'
    case 'inbox':
      return `#/inboxes/${to.inboxId}${queryPart(to.q)}`
    case 'details':
      return `#/inboxes/${to.inboxId}/details`
    case 'message': {
      const list = to.isFound === true ? `#/search/${to.inboxId}` : `#/inboxes/${to.inboxId}`
      const tab = to.tab === null ? '' : `/${to.tab}`
      return `${list}/messages/${to.messageId}${tab}${queryPart(to.q)}`
    }
    case 'search':
      return `#/search${queryPart(to.q)}`
    default:
      return `#/${to.page}`
  }
}

/** The route of a fragment; an unknown one shows the inboxes. */
export function parseRoute(fragment: string): Route {
  const [path = '', query] = fragment.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [first, inboxId, part, messageId, tab] = path
    .split('/')
    .map((segment) => safeDecode(segment))
  const q = new URLSearchParams(query).get('q') ?? ''
  const inQuery = q === '' ? {} : { q }
  const account = ACCOUNT_PAGES.find((page) => page === first)
  if (account !== undefined) return { page: account }
  const isFound = first === 'search'
  if (first === 'mail') return { page: 'mail' }
  if (isFound && !messageId) return { page: 'search', q }
  if ((first !== 'inboxes' && !isFound) || !inboxId) return { page: 'inboxes' }
  if (part === 'details') return { page: 'details', inboxId }
  if (part !== 'messages' || !messageId) return { page: 'inbox', inboxId, ...inQuery }
  return {
    page: 'message',
    inboxId,
    messageId,
    tab: TABS.find((name) => name === tab) ?? null,
    ...inQuery,
    ...(isFound ? { isFound } : {}),
  }
}

/** The list that a message is read from. */
export function listRouteOf({ inboxId, q = '', isFound }: MessageRoute): Route {
  if (isFound === true) return q === '' ? { page: 'mail' } : { page: 'search', q }
  return { page: 'inbox', inboxId, ...(q === '' ? {} : { q }) }
}

function queryPart(q = ''): string {
  return q === '' ? '' : `?q=${encodeURIComponent(q)}`
}

function safeDecode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
