import { readService } from '@mayfly/contract'
import { PUBLIC } from '../caller.ts'
import type { Routes } from '../route.ts'

/** The service itself. */
export const serviceRoutes: Routes = (http, app) => {
  http.get('/v1/service', { schema: readService, config: PUBLIC }, async () => app.describe())
}
