import type { App } from '../app/api.ts'
import { describedRoutes, describeRoutes } from '../http/openapi/describe.ts'
import { createHttpServer } from '../http/server.ts'
import type { Log } from '../platform/log.ts'

/** The OpenAPI document, from the routes. */
export async function openApiDocument(log: Log): Promise<object> {
  const baseUrl = 'http://127.0.0.1:8025'
  const http = await createHttpServer({
    // Describing the routes does not call them.
    app: {} as App,
    log,
    newRequestId: () => 'req_0',
    baseUrl: () => baseUrl,
    listensOnLoopback: false,
    isKeyless: false,
    allowedHosts: [],
    allowsPrivateNames: false,
    handleMcp: async () => Response.error(),
    handleProvider: async () => ({ status: 404, body: null }),
    metrics: null,
    describe: describeRoutes,
    trustedProxies: [],
  })
  try {
    await http.ready()
    return describedRoutes(http, baseUrl)
  } finally {
    await http.close()
  }
}
