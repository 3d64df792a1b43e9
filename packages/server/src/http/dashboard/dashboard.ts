import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { PUBLIC } from '../caller.ts'
import { type DashboardFiles, type PageFile, readDashboard } from './files.ts'

/** Scripts and styles of the page are files of ours; a mail is shown in a frame of ours. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const NOT_BUILT = 'The dashboard is not built. Build it: node packages/dashboard/build.ts\n'

/**
 * Serves the dashboard at `/`, and its files below `/app/assets/`, from memory. A program that
 * requests `/` gets the result of `about`.
 */
export function serveDashboard(
  http: FastifyInstance,
  folder: URL | null,
  about: () => object,
): void {
  let files: DashboardFiles | null = null
  const read = (from: URL) => {
    // Read with the first request: most services run in tests, without a user of the page.
    files ??= readDashboard(from)
    return files
  }
  const options = { config: PUBLIC, schema: { hide: true } }

  http.get('/', options, async (request, reply) => {
    if (request.headers.accept?.includes('text/html') !== true) return about()
    if (folder === null) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
    reply.headers({
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      // A new version has files of other names.
      'cache-control': 'no-cache',
    })
    return sendFile(request, reply, read(folder).page)
  })

  http.get<{ Params: { name: string } }>('/app/assets/:name', options, async (request, reply) => {
    const asset = folder === null ? undefined : read(folder).assets.get(request.params.name)
    if (asset === undefined) throw new ServiceError('route_not_found')
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
    })
    return sendFile(request, reply, asset)
  })
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PageFile,
): Promise<FastifyReply> {
  const encoding = bestEncoding(request.headers['accept-encoding'] ?? '')
  const bytes = await file.bytes(encoding)
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.header('vary', 'accept-encoding').type(file.contentType).send(bytes)
}

function bestEncoding(accepted: string): 'br' | 'gzip' | 'identity' {
  const names = accepted
    .split(',')
    .filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item))
    .map((item) => item.split(';', 1)[0]?.trim().toLowerCase())
  if (names.includes('br')) return 'br'
  return names.includes('gzip') ? 'gzip' : 'identity'
}
