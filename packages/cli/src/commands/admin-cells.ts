import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import type { Operator } from '@mayfly/server'
import { defineCommand } from '../command.ts'
import { readiness } from '../doctor/port-check.ts'
import { CommandFailed } from '../exit.ts'
import { withOperator, withServer } from '../operator.ts'
import { formatTable, print, printJson } from '../output.ts'
import type { Terminal } from '../terminal.ts'

type Overview = Awaited<ReturnType<Operator['overview']>>

/** A row of the table; `problem` says why there are no figures. */
type CellRow = {
  readonly cell: string
  readonly ready: string
  readonly overview: Overview | null
  readonly problem: string | null
}

const HEADER = ['cell', 'ready', 'accounts', 'mails a day', 'disk', 'oldest retry']

/** `mayfly admin cells` */
export const cells = defineCommand({
  name: 'admin cells',
  summary: 'show several cells in one table',
  args: ['FILE…'],
  about: `Each FILE has the settings of one cell, as NAME=VALUE lines: its MAYFLY_CELL,
MAYFLY_DATABASE_URL, and MAYFLY_HTTP_HOST and MAYFLY_HTTP_PORT of a node.
Exits with 1 when a cell is not ready or its database does not respond.`,
  options: { json: { type: 'boolean', about: 'print JSON' } },
  example: 'mayfly admin cells c1.env c2.env',
  run: async ({ options, args: files, terminal }) => {
    const rows = await Promise.all(files.map((file) => readCell(terminal, file)))
    if (options.json) printJson(terminal, rows)
    else {
      print(terminal, formatTable(terminal, HEADER, rows.map(columnsOf)))
      for (const { cell, problem } of rows) {
        if (problem !== null) terminal.err(`${cell}: ${problem}\n`)
      }
    }
    const failing = rows.filter(({ ready, problem }) => ready !== 'yes' || problem !== null)
    if (failing.length > 0) {
      throw new CommandFailed(`not well: ${failing.map(({ cell }) => cell).join(', ')}`)
    }
  },
})

async function readCell(terminal: Terminal, file: string): Promise<CellRow> {
  let cell = file
  try {
    // Its settings alone, and not those of this shell.
    const own = { ...terminal, env: parseEnv(await readFile(file, 'utf8')) }
    const ready = await withServer(own, async (_, config) => {
      cell = config.MAYFLY_CELL ?? file
      return readiness(config)
    })
    const overview = withOperator(own, (operator) => operator.overview())
    return await overview.then(
      (figures) => ({ cell, ready, overview: figures, problem: null }),
      (error: unknown) => ({ cell, ready, overview: null, problem: messageOf(error) }),
    )
  } catch (error) {
    return { cell, ready: '', overview: null, problem: messageOf(error) }
  }
}

function columnsOf({ cell, ready, overview }: CellRow): readonly string[] {
  if (overview === null) return [cell, ready, '', '', '', '']
  const { accounts, newMessages, diskBytes, oldestRetryMs } = overview
  const disk = `${(diskBytes / 1_000_000).toFixed(0)} MB`
  const retry = oldestRetryMs === null ? 'none' : `${Math.round(oldestRetryMs / 1000)} s`
  return [cell, ready, String(accounts), String(newMessages), disk, retry]
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
