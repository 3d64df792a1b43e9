import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../app/api.ts'

/** Callers may name an inbox by its address wherever its id is expected. */
export function acceptInboxAddresses(http: FastifyInstance, app: App): void {
  http.addHook('preHandler', (request, _reply, done) => {
    const places = placesOf(request).filter(([of, name]) => isAddress(of[name]))
    if (places.length === 0) return done()
    Promise.all(
      places.map(async ([of, name]) => {
        of[name] = await app.inboxes.resolve(request.caller, String(of[name]))
      }),
    ).then(() => done(), done)
  })
}

type Fields = { [name: string]: unknown }

const OF_INBOX = '/v1/inboxes/:id'

/** Where a request names an inbox: its schemas were checked. */
function placesOf({ routeOptions, params, query, body }: FastifyRequest) {
  const { url = '' } = routeOptions
  const places: (readonly [of: Fields, name: string])[] = []
  if (url.startsWith(OF_INBOX)) places.push([params as Fields, 'id'])
  if (url === '/v1/events') places.push([query as Fields, 'inbox'])
  if (url === '/v1/scenarios/:id/run') places.push([body as Fields, 'inboxId'])
  return places
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && value.includes('@')
}
