import { createMigratedSqlite } from './testing-databases.ts'
import { startServerProcess } from './testing-server-process.ts'

const METER = new URL('./testing-loop-meter.ts', import.meta.url).href

/** Starts the server on SQLite, as its own process with a loop meter in each thread. */
export async function startMeasuredServer(
  resources: AsyncDisposableStack,
  env: Readonly<Record<string, string>>,
) {
  const database = resources.use(await createMigratedSqlite())
  const settings = { MAYFLY_DATABASE_URL: database.url, ...env }
  const server = resources.use(startServerProcess(settings, [], ['--import', METER]))
  return { server, ...(await server.ready) }
}
