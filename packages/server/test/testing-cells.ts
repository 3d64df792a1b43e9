import type { TestDatabase } from './testing-databases.ts'
import { type CellsProxy, startCellsProxy } from './testing-proxy.ts'
import { type ServerProcess, STARTED_AGAIN, startServerProcess } from './testing-server-process.ts'
import { until } from './testing-until.ts'

/** A cell of one node. */
type TestCell = {
  readonly name: 'c1' | 'c2'
  readonly node: ServerProcess
  /** Of the node itself, past the proxy. */
  readonly httpUrl: string
  readonly domain: string
  /** Its port of the proxy for SMTP. */
  readonly smtpPort: number
  /** The settings with which an operator's commands run. */
  readonly env: Readonly<Record<string, string>>
}

/** Two cells behind HAProxy with the configuration of the repository. */
export type TestCells = AsyncDisposable & {
  readonly proxy: CellsProxy
  /** The address of the proxy. */
  readonly host: string
  readonly cells: readonly [TestCell, TestCell]
}

/** Starts two cells on these databases, at loopback addresses of their own. */
export async function startCells(
  databases: readonly [TestDatabase, TestDatabase],
): Promise<TestCells> {
  await using starting = new AsyncDisposableStack()
  // Other than those of other runs on this machine.
  const network = `127.${110 + (process.pid % 100)}.${process.pid % 256}`
  const addresses = { proxy: `${network}.10`, nodes: [`${network}.11`, `${network}.12`] }
  const proxy = starting.use(await startCellsProxy(addresses))
  const start = (name: TestCell['name'], host: string, database: TestDatabase): TestCell => {
    const domain = `${name}.mayfly.test`
    const env = {
      ...STARTED_AGAIN,
      MAYFLY_CELL: name,
      MAYFLY_DATABASE_URL: database.url,
      MAYFLY_BASE_URL: proxy.httpUrl,
      MAYFLY_DOMAINS: domain,
      MAYFLY_PRIVATE_DOMAINS: '',
      MAYFLY_HTTP_HOST: host,
      MAYFLY_HTTP_PORT: '8025',
      MAYFLY_SMTP_HOST: host,
      MAYFLY_SMTP_PORT: '1025',
      MAYFLY_SMTP_PROXY_PROTOCOL: 'true',
      MAYFLY_TRUSTED_PROXIES: '127.0.0.1',
    }
    const node = starting.use(startServerProcess(env))
    const smtpPort = name === 'c1' ? 1025 : 1026
    return { name, node, httpUrl: `http://${host}:8025`, domain, smtpPort, env }
  }
  const [first = '', second = ''] = addresses.nodes
  const cells = [start('c1', first, databases[0]), start('c2', second, databases[1])] as const
  for (const { name, node } of cells) {
    await node.ready
    const isUp = new RegExp(`^cell_${name},${name}-node1,.*,UP,.*,L7OK,`, 'm')
    await until(async () => {
      // The socket comes with the start.
      const servers = await proxy.command('show stat').catch(() => '')
      return isUp.test(servers) ? servers : null
    })
  }
  const started = starting.move()
  return {
    ...{ proxy, host: addresses.proxy, cells },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}
