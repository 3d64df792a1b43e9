import { createHttpServer } from '../http/server.ts'
import type { Log } from '../platform/log.ts'
import type { App } from './api.ts'

/** The OpenAPI document, made without a running service. */
export async function openApiDocument(log: Log): Promise<object> {
  const http = await createHttpServer({
    // Describing the routes does not call them.
    app: {} as App,
    log,
    newRequestId: () => 'req_0',
    baseUrl: () => 'http://127.0.0.1:8025',
    listensOnLoopback: false,
    handleMcp: async () => Response.error(),
    metrics: false,
    trustedProxies: [],
  })
  try {
    const answer = await http.inject('/openapi.json')
    return answer.json()
  } finally {
    await http.close()
  }
}
