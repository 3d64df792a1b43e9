import { render } from 'preact'
import { App } from './app.tsx'
import { showExactTimes } from './components/times.tsx'
import { listenForLinks, startSession } from './session.ts'
import { listenForKeys } from './shortcuts.ts'
import { startClock } from './state/clock.ts'
import { commitDeletions } from './state/deletions.ts'
import { inboxesRead } from './state/inboxes.ts'
import { messagesRead } from './state/messages.ts'
import { applyTheme } from './state/preferences.ts'
import { loadService } from './state/service.ts'
import { showError } from './state/toasts.ts'
import { showUnreadCount } from './unread-count.ts'
import { followSession } from './workspace.ts'

/** How long the page stays empty before it shows that it is loading. */
const PLACEHOLDER_MS = 100

applyTheme()
startClock()
listenForKeys()
listenForLinks()
showUnreadCount()
showExactTimes()
addEventListener('pagehide', commitDeletions)

followSession()
void startSession()
loadService().catch(showError)

// A service nearby responds before a placeholder is seen, and drawing it would delay the list.
await Promise.race([
  Promise.all([inboxesRead(), messagesRead()]),
  new Promise((resolve) => setTimeout(resolve, PLACEHOLDER_MS)),
])
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
