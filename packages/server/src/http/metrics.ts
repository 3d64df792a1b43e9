import type { FastifyInstance } from 'fastify'
import { PUBLIC } from './caller.ts'

/** The metrics beside those of requests. */
export type Metrics = {
  /** The label `cell` of every metric; null without one. */
  readonly cell: string | null
  readonly lostLogLines: () => number
  /** Calls back with the number of mails that were stored together; returns how to stop that. */
  readonly onMailsStored: (listener: (count: number) => void) => () => void
}

/** A plain read takes below 5 ms, a wait up to 50 s. */
const SECONDS_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60]

/** Serves metrics of the process and of the API in the format of Prometheus. */
export async function serveMetrics(
  http: FastifyInstance,
  { cell, lostLogLines, onMailsStored }: Metrics,
): Promise<void> {
  // Loaded only when metrics are on: it slows the start.
  const { collectDefaultMetrics, Counter, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  if (cell !== null) registry.setDefaultLabels({ cell })
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'mayfly_http_request_seconds',
    help: 'Time from the request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  })
  new Counter({
    name: 'mayfly_log_lines_lost_total',
    help: 'Lines of the log that could not be written.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(lostLogLines())
    },
  })
  const mails = new Counter({
    name: 'mayfly_mails_stored_total',
    help: 'Mails that this node has stored.',
    registers: [registry],
  })
  const stopListening = onMailsStored((count) => mails.inc(count))
  http.addHook('onClose', async () => stopListening())
  http.addHook('onResponse', async (request, reply) => {
    // The pattern, not the path: a label for each id would grow without end.
    const route = request.routeOptions.url ?? 'unmatched'
    const status = String(reply.statusCode)
    requests.observe({ method: request.method, route, status }, reply.elapsedTime / 1000)
  })
  http.get('/metrics', { config: PUBLIC, schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}
