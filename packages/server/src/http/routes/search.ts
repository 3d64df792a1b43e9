import { searchMessages } from '@mayfly/contract'
import type { Routes } from '../route.ts'

/** Searching all inboxes of an account. */
export const searchRoutes: Routes = (http, app) => {
  http.get('/v1/search', { schema: searchMessages }, async ({ caller, query }) =>
    app.messages.search(caller, query),
  )
}
