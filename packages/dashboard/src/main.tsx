import { render } from 'preact'
import { App } from './app.tsx'
import { listenForLinks, startSession } from './session.ts'
import { listenForKeys } from './shortcuts.ts'
import { startClock } from './state/clock.ts'
import { commitDeletions } from './state/deletions.ts'
import { applyTheme } from './state/preferences.ts'
import { loadService } from './state/service.ts'
import { showError } from './state/toasts.ts'
import { showUnreadCount } from './unread-count.ts'

applyTheme()
startClock()
listenForKeys()
listenForLinks()
showUnreadCount()
addEventListener('pagehide', commitDeletions)
loadService().catch(showError)

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
await startSession()
