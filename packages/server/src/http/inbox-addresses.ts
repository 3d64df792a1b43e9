import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../app/api.ts'

/** Callers may name an inbox by its address wherever its id is expected. */
export function acceptInboxAddresses(http: FastifyInstance, app: App): void {
  http.addHook('preHandler', (request, _reply, done) => {
    const place = placeOf(request)
    const named: unknown = place === null ? null : Reflect.get(place.of, place.name)
    if (place === null || typeof named !== 'string' || !named.includes('@')) return done()
    app.inboxes.resolve(request.caller, named).then((id) => {
      Reflect.set(place.of, place.name, id)
      done()
    }, done)
  })
}

const OF_INBOX = '/v1/inboxes/:id'

/** Where a request names an inbox: its schemas were checked. */
function placeOf({ routeOptions, params, query, body }: FastifyRequest) {
  const { url = '' } = routeOptions
  if (url.startsWith(OF_INBOX)) return field(params, 'id')
  if (url === '/v1/events') return field(query, 'inbox')
  return url === '/v1/scenarios/:id/run' ? field(body, 'inboxId') : null
}

function field(of: unknown, name: string) {
  return typeof of === 'object' && of !== null ? { of, name } : null
}
