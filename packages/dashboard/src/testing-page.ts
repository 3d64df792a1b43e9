import type { TestContext } from 'node:test'
import { navigate } from './route.ts'
import type { Route } from './routes.ts'
import { enterKey, signOut } from './session.ts'
import { liveState } from './state/live.ts'
import { dismissToast, toasts } from './state/toasts.ts'
import type { TestService } from './testing-service.ts'
import { followSession } from './workspace.ts'

const TURNS_MAX = 10_000

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

let isFollowing = false

/** Signs in to a service and shows a route until the test ends; timers are the test's own. */
export async function openPage(t: TestContext, service: TestService, route: Route): Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  t.mock.method(globalThis, 'fetch', service.fetch)
  if (!isFollowing) followSession()
  isFollowing = true
  navigate(route)
  t.after(async () => {
    signOut()
    for (const { id } of toasts.value) dismissToast(id)
    // Signing out sends the deletions that wait.
    await settled()
  })
  enterKey('mf_live_page', { remember: false })
  await untilTrue(() => liveState.value === 'live')
  await settled()
}

/** Resolves when this is so; fails after as many turns of the event loop as nothing takes. */
export async function untilTrue(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    if (isSo()) return
    await nextTurn()
  }
  throw new Error(`it did not happen: ${isSo}`)
}

/** Resolves when calls and events that are on their way have been handled. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn()
}
