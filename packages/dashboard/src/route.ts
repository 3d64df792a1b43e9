import { computed, signal } from '@preact/signals'
import { hrefOf, parseRoute, type Route } from './routes.ts'

const hash = signal(location.hash)
addEventListener('hashchange', () => {
  hash.value = location.hash
})

/** The current route. */
export const route = computed<Route>(() => parseRoute(hash.value))

/** The open inbox, on any of its routes. */
export const openInboxId = computed<string | null>(() =>
  'inboxId' in route.value ? route.value.inboxId : null,
)

/** The message that is open. */
export const openMessageId = computed<string | null>(() =>
  route.value.page === 'message' ? route.value.messageId : null,
)

/** The query of the open inbox's list; empty without one. */
export const filterText = computed<string>(() => {
  const to = route.value
  if (to.page === 'inbox' || (to.page === 'message' && to.isFound !== true)) return to.q ?? ''
  return ''
})

/** The query of the search over all inboxes that is open; null without one. */
export const searchText = computed<string | null>(() => {
  const to = route.value
  if (to.page === 'search') return to.q
  return to.page === 'message' && to.isFound === true ? (to.q ?? '') : null
})

/** Whether the newest mail of all inboxes is listed. */
export const isNewestShown = computed<boolean>(() => {
  const to = route.value
  return (
    to.page === 'inboxes' ||
    to.page === 'mail' ||
    (to.page === 'message' && searchText.value === '')
  )
})

/** The search whose results are listed; empty for the newest mail, null for none. */
export const wantedSearch = computed<string | null>(() =>
  isNewestShown.value ? '' : searchText.value?.trim() || null,
)

/** Navigates to a route; `replace` adds no entry to the history. */
export function navigate(to: Route, options: { readonly replace?: boolean } = {}): void {
  const address = hrefOf(to)
  if (options.replace === true) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  hash.value = location.hash
}

/** Navigates away from a deleted inbox; false when it is not open. */
export function leaveInbox(inboxId: string): boolean {
  // The route may just have changed: its event comes after the change.
  hash.value = location.hash
  if (openInboxId.value !== inboxId) return false
  navigate({ page: 'inboxes' }, { replace: true })
  return true
}
