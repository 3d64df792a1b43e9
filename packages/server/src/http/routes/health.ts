import { PUBLIC } from '../caller.ts'
import type { Routes } from '../route.ts'

/** Health checks for monitoring and load balancers. */
export const healthRoutes: Routes = (http, app) => {
  const options = { config: PUBLIC, schema: { hide: true } }

  for (const path of ['/healthz', '/livez']) {
    http.get(path, options, async () => ({ status: 'alive' }))
  }

  http.get('/readyz', options, async () => {
    await app.requireReady()
    return { status: 'ready' }
  })
}
