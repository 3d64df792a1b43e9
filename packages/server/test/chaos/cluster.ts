import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createApiClient } from '../testing-api-client.ts'
import { stoppablePostgres } from '../testing-postgres-faults.ts'
import { type ServerProcess, startServerProcess } from '../testing-server-process.ts'
import { startTcpProxy, type TcpProxy } from '../testing-tcp-proxy.ts'
import type { UnexpectedExit } from './history.ts'
import { type Servers, startServers } from './servers.ts'

/** A node: a process that reaches the database through a proxy of its own. */
export type Node = {
  readonly proxy: TcpProxy
  /** How far its machine's clock is off, and the file that says so. */
  readonly skewMs: number
  readonly skewFile: string
  process: ServerProcess
  httpUrl: string
  smtpPort: number
  /** Whether its end is part of the plan. */
  isToEnd: boolean
}

/** Nodes on one PostgreSQL. */
export type Cluster = AsyncDisposable & {
  readonly nodes: readonly Node[]
  readonly servers: Servers
  readonly exits: readonly UnexpectedExit[]
  /** Calls to a node with the key of the one account. */
  api(node: number): ReturnType<typeof createApiClient>
  /** Runs a statement past all proxies. */
  query<Row extends pg.QueryResultRow>(text: string): Promise<readonly Row[]>
  /** Kills a node, and starts it again when told. */
  kill(node: number): Promise<void>
  restart(node: number): Promise<void>
  freezeDatabase(): Promise<() => void>
  /** Sets how far the clock of a node's machine is off. */
  skewClock(node: number, skewMs: number): void
}

/** Clocks of the nodes' machines, in turns. */
const SKEWS_MS = [0, 600_000, -600_000]

/** Starts PostgreSQL and so many nodes, with an account. */
export async function startCluster(
  count: number,
  env: Readonly<Record<string, string>>,
): Promise<Cluster> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'mayfly-clocks-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const servers = stack.use(await startServers(true))
  const exits: UnexpectedExit[] = []
  const settings = { ...env, MAYFLY_DATABASE_URL: '', MAYFLY_DEFAULT_PLAN: 'unlimited' }
  const nodes: Node[] = []
  const start = (index: number, node: Pick<Node, 'proxy' | 'skewFile'>) => {
    const process = startServerProcess(
      { ...settings, MAYFLY_DATABASE_URL: node.proxy.url },
      [],
      [`--import=data:text/javascript,${encodeURIComponent(skewedClock(node.skewFile))}`],
    )
    void process.ended.then((reason) => {
      if (nodes[index]?.process === process && !nodes[index].isToEnd) {
        exits.push({ node: index, reason: `${reason}: ${process.output().slice(-2_000)}` })
      }
    })
    return process
  }
  const restart = async (index: number) => {
    const node = nodes[index]
    if (node === undefined) return
    node.process = start(index, node)
    node.isToEnd = false
    Object.assign(node, await node.process.ready)
  }
  for (let i = 0; i < count; i++) {
    const proxy = stack.use(await startTcpProxy(servers.url))
    const skewMs = SKEWS_MS[i % SKEWS_MS.length] ?? 0
    const about = { proxy, skewMs, skewFile: join(folder, String(i)) }
    writeFileSync(about.skewFile, String(skewMs))
    const process = start(i, about)
    nodes.push({ ...about, process, isToEnd: false, httpUrl: '', smtpPort: 0 })
  }
  stack.defer(async () => {
    for (const node of nodes) {
      node.isToEnd = true
      await node.process[Symbol.asyncDispose]()
    }
  })
  for (const node of nodes) Object.assign(node, await node.process.ready)
  const key = await register(nodes[0]?.httpUrl ?? '')
  const started = stack.move()
  return {
    nodes,
    servers,
    exits,
    api: (node) => createApiClient(nodes[node]?.httpUrl ?? '', key),
    query: (text) => query(servers.url, text),
    kill: async (index) => {
      const node = nodes[index]
      if (node === undefined) return
      node.isToEnd = true
      await node.process[Symbol.asyncDispose]()
    },
    restart,
    freezeDatabase: async () => {
      const { freeze, thaw } = await stoppablePostgres(servers.url)
      freeze()
      return thaw
    },
    skewClock: (index, skewMs) => writeFileSync(nodes[index]?.skewFile ?? '', String(skewMs)),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** A clock that follows what a file says, in every thread. */
function skewedClock(file: string): string {
  return `import { readFileSync } from 'node:fs'
    const { now } = Date
    let skewMs = Number(readFileSync(${JSON.stringify(file)}, 'utf8'))
    setInterval(() => { skewMs = Number(readFileSync(${JSON.stringify(file)}, 'utf8')) }, 200).unref()
    Date.now = () => now() + skewMs`
}

async function register(httpUrl: string): Promise<string> {
  const api = createApiClient(httpUrl, null)
  return (await api.post('/v1/accounts', { email: 'chaos@example.com' })).body.apiKey
}

async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
