import { effect } from '@preact/signals'
import { unreadTotal } from './state/inboxes.ts'

const DOT = "<circle cx='25' cy='7' r='6.5' fill='%23f59e0b'/>"

/** Shows the number of unread messages in the title and as a dot on the icon of the tab. */
export function showUnreadCount(): void {
  const link = document.querySelector('link[rel=icon]')
  // The page comes with the icon: it costs no work before the first mail is unread.
  const plain = link?.getAttribute('href') ?? ''
  const dotted = plain.replace('</svg>', `${DOT}</svg>`)
  effect(() => {
    const unread = unreadTotal.value
    document.title = unread === 0 ? 'Mayfly' : `(${unread}) Mayfly`
    link?.setAttribute('href', unread === 0 ? plain : dotted)
  })
}
