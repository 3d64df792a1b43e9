import type { AccountEvent } from '@mayfly/client'
import { personText, visibleText } from './format.ts'
import { navigate } from './route.ts'
import { preferences } from './state/preferences.ts'

/** A burst is one notification. */
const INTERVAL_MS = 2_000

let lastAt = 0

/** Notifies of mail that arrives while the page is hidden. */
export function announceArrivals(events: readonly AccountEvent[]): void {
  if (!preferences.value.hasNotifications || !document.hidden) return
  if (Date.now() - lastAt < INTERVAL_MS) return
  const arrivals = events.filter((event) => event.type === 'message.received')
  const last = arrivals.at(-1)
  if (last === undefined) return
  lastAt = Date.now()
  const { inboxId, message } = last
  const more = arrivals.length > 1 ? ` and ${arrivals.length - 1} more` : ''
  const notification = new Notification(`${visibleText(personText(message.from))}${more}`, {
    body: visibleText(message.subject ?? 'No subject'),
    tag: 'mayfly',
  })
  notification.onclick = () => {
    window.focus()
    navigate({ page: 'message', inboxId, messageId: message.id, tab: null })
  }
}
