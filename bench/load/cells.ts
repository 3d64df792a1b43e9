import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiClient } from '../../packages/server/test/testing-api-client.ts'
import { createDatabase, startPostgres } from '../../packages/server/test/testing-postgres.ts'
import { until } from '../../packages/server/test/testing-until.ts'
import { addPostgres, quotaOf } from './quota.ts'
import { type Service, startService } from './service.ts'

const DEPLOY = new URL('../../deploy/cells/', import.meta.url)
const PROXY_HOST = '127.77.0.10'

/** A cell: a PostgreSQL and a node, each with a share of a core. */
export type BenchCell = {
  readonly name: string
  readonly node: Service
  readonly databaseUrl: string
  /** The node past the proxy is `node.httpUrl`; this is the same account through the proxy. */
  readonly proxied: { readonly httpUrl: string; readonly apiKey: string; readonly smtpPort: number }
  readonly settings: Readonly<Record<string, string>>
}

/** Cells behind one HAProxy. */
export type BenchCells = AsyncDisposable & {
  readonly host: string
  readonly cells: readonly BenchCell[]
}

/** Starts cells whose nodes and databases have these shares of a core. */
export async function startCells(
  count: number,
  shares: { readonly node: number; readonly postgres: number },
): Promise<BenchCells> {
  await using resources = new AsyncDisposableStack()
  const names = Array.from({ length: count }, (_, index) => `c${index + 1}`)
  const cells: BenchCell[] = []
  for (const [index, name] of names.entries()) {
    const postgres = resources.use(await startPostgres({}))
    const database = resources.use(await createDatabase(postgres.url))
    const settings = {
      MAYFLY_CELL: name,
      MAYFLY_DATABASE_URL: database.url,
      MAYFLY_DOMAINS: `${name}.mayfly.test`,
      MAYFLY_PRIVATE_DOMAINS: '',
      MAYFLY_BASE_URL: `http://${PROXY_HOST}:8025`,
      MAYFLY_HTTP_HOST: `127.77.1.${index + 1}`,
      MAYFLY_HTTP_PORT: '8025',
      MAYFLY_SMTP_HOST: `127.77.1.${index + 1}`,
      MAYFLY_SMTP_PORT: '1025',
      MAYFLY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    }
    // Started at full speed.
    const node = resources.use(await startService({ databaseUrl: database.url, env: settings }))
    const nodeQuota = resources.use(quotaOf(shares.node))
    nodeQuota.add(node.pid)
    const postgresQuota = resources.use(quotaOf(shares.postgres))
    await addPostgres(postgresQuota, database.url)
    const httpUrl = `http://${PROXY_HOST}:8025`
    const proxied = { httpUrl, apiKey: node.apiKey, smtpPort: 1025 + index }
    cells.push({ name, node, databaseUrl: database.url, proxied, settings })
  }
  resources.use(await startProxy(names))
  for (const { proxied } of cells) {
    const api = createApiClient(proxied.httpUrl, proxied.apiKey)
    await until(async () => {
      const answer = await api.get('/v1/account').catch(() => null)
      return answer?.status === 200 ? answer : null
    })
  }
  const started = resources.move()
  return { host: PROXY_HOST, cells, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/** HAProxy with the configuration of the repository, whose second cell is repeated for others. */
async function startProxy(names: readonly string[]): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-bench-proxy-'))
  const given = await readFile(new URL('haproxy.cfg', DEPLOY), 'utf8')
  const section = (start: string) => {
    const from = given.indexOf(start)
    const end = given.indexOf('\n\n', from)
    return given.slice(from, end < 0 ? given.length : end)
  }
  const more = names.slice(2).map((name) => {
    const port = 1024 + Number(name.slice(1))
    const sections = `${section('backend cell_c2')}\n${section('listen smtp_c2')}\n`
    return sections
      .replaceAll('c2', name)
      .replaceAll('C2', name.toUpperCase())
      .replace(':1026', `:${port}`)
  })
  // What belongs to HTTP must come before the defaults of SMTP.
  const http = more.map((text) => text.slice(0, text.indexOf('listen smtp')))
  const smtp = more.map((text) => text.slice(text.indexOf('listen smtp')))
  const config = `${given.replace('\nbackend any_cell', `\n${http.join('\n')}\nbackend any_cell`)}\n${smtp.join('\n')}\n`
  await writeFile(join(folder, 'haproxy.cfg'), config.replace('default-server send-proxy-v2', ''))
  const lines = names.map((name) => `mf_live_${name}_ ${name}\nmf_test_${name}_ ${name}`)
  await writeFile(join(folder, 'cells.map'), `${lines.join('\n')}\n`)
  const slots = Array.from({ length: 16 }, (_, slot) => `${slot} ${names[slot % names.length]}`)
  await writeFile(join(folder, 'slots.map'), `${slots.join('\n')}\n`)
  const nodes = names.map((name, index) => [`${name.toUpperCase()}_NODE1`, `127.77.1.${index + 1}`])
  const child = spawn(
    process.env['HAPROXY_PATH'] ?? '/usr/sbin/haproxy',
    ['-f', join(folder, 'haproxy.cfg')],
    {
      env: { ...Object.fromEntries(nodes), BIND: PROXY_HOST, SOCKET: join(folder, 'socket') },
      stdio: 'ignore',
    },
  )
  const ended = once(child, 'exit')
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}
