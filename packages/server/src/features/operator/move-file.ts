// The file in which an account moves from one cell to another: a JSON object a line.
//
//   { "format": 1, "header": { "account": …, "to": "c2", … } }   the first line
//   { "table": "message", "row": { … } }                         bytes are { "base64": … }
//   { "end": 1234 }                                              how many rows there are
//
// It has hashes of keys, and the secrets of webhooks in the clear: only its owner may read it.

import { type FileHandle, open } from 'node:fs/promises'
import type { AccountId } from '@mayfly/contract'
import { OperatorRefused } from '../../errors.ts'
import type { AnyRow, MailPart, PagedTable } from '../../store/tables/account-rows.ts'

/** Which account a file has, and where it goes. */
export type MoveHeader = {
  readonly account: AccountId
  readonly email: string
  readonly to: string
  /** The number of migrations of the database that it is from. */
  readonly schema: number
}

/** A row of one of the account's tables. */
export type MovedRow = { readonly table: PagedTable | MailPart; readonly row: AnyRow }

type Line = { readonly header: MoveHeader } | MovedRow | { readonly end: number }

const FORMAT = 1

/** Only its owner reads and writes it. */
const MODE = 0o600

/** Writes a file, or continues one that was interrupted. */
export class MoveFileWriter implements AsyncDisposable {
  readonly #file: FileHandle
  /** The last row of each table that the file has already. */
  readonly written: ReadonlyMap<string, AnyRow>
  /** The table of its last row; null when it has none. */
  readonly lastTable: MovedRow['table'] | null
  #rows: number

  constructor(file: FileHandle, found: Interrupted) {
    this.#file = file
    this.written = found.written
    this.lastTable = found.lastTable
    this.#rows = found.rows
  }

  /** Opens a file for an account; one that has another account, or is complete, is refused. */
  static async open(path: string, header: MoveHeader): Promise<MoveFileWriter> {
    // Made when it is missing; an interrupted one is kept.
    const file = await open(path, 'a+', MODE)
    try {
      const found = await readInterrupted(file, { path, header })
      await file.truncate(found.bytes)
      const writer = new MoveFileWriter(file, found)
      if (found.bytes === 0) await writer.#write({ header })
      return writer
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async add(row: MovedRow): Promise<void> {
    await this.#write(row)
    this.#rows += 1
  }

  /** Notes that the file is complete, and writes it to the disk; how many rows it has. */
  async end(): Promise<number> {
    await this.#write({ end: this.#rows })
    await this.#file.sync()
    return this.#rows
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  async #write(line: Line): Promise<void> {
    await this.#file.appendFile(`${textOf(line)}\n`)
  }
}

type Interrupted = {
  readonly written: ReadonlyMap<string, AnyRow>
  readonly lastTable: MovedRow['table'] | null
  readonly rows: number
  /** Up to the end of its last whole line. */
  readonly bytes: number
}

async function readInterrupted(
  file: FileHandle,
  { path, header }: { readonly path: string; readonly header: MoveHeader },
): Promise<Interrupted> {
  const written = new Map<string, AnyRow>()
  let lastTable: MovedRow['table'] | null = null
  let rows = 0
  let bytes = 0
  for await (const { line, endsAt } of linesOf(file, path)) {
    if (
      'header' in line &&
      (line.header.account !== header.account || line.header.to !== header.to)
    ) {
      throw new OperatorRefused(
        `${path} has another account, or another cell. Choose another file.`,
      )
    }
    if ('end' in line) {
      throw new OperatorRefused(`${path} is complete. Import it, or choose another file.`)
    }
    if ('row' in line) {
      written.set(line.table, line.row)
      lastTable = line.table
      rows += 1
    }
    bytes = endsAt
  }
  return { written, lastTable, rows, bytes }
}

/** The rows of a file; `onHeader` is called before the first. Throws when it is not complete. */
export async function* readMoveFile(
  path: string,
  onHeader: (header: MoveHeader) => Promise<void>,
): AsyncGenerator<MovedRow> {
  await using file = await open(path, 'r').catch((error: unknown) => {
    throw new OperatorRefused(`${path} cannot be read: ${String(error)}`)
  })
  let rows = 0
  for await (const { line } of linesOf(file, path)) {
    if ('header' in line) await onHeader(line.header)
    else if ('row' in line) {
      rows += 1
      yield line
    } else if (line.end === rows) return
  }
  throw new OperatorRefused(
    `${path} is not complete. Run the export again, which continues it; then the import, which adds what is missing.`,
  )
}

/** The whole lines of a file, and where each ends; a line without an end is left out. */
async function* linesOf(
  file: FileHandle,
  path: string,
): AsyncGenerator<{ readonly line: Line; readonly endsAt: number }> {
  let pending: Buffer[] = []
  let endsAt = 0
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
    let rest: Buffer = chunk
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const whole = Buffer.concat([...pending, rest.subarray(0, end)])
      pending = []
      rest = rest.subarray(end + 1)
      endsAt += whole.length + 1
      yield { line: lineOf(whole.toString('utf8'), path), endsAt }
    }
    if (rest.length > 0) pending.push(rest)
  }
}

function textOf(line: Line): string {
  if ('header' in line) return JSON.stringify({ format: FORMAT, ...line })
  if ('end' in line) return JSON.stringify(line)
  const row = Object.entries(line.row).map(([column, value]) => [
    column,
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  ])
  return JSON.stringify({ table: line.table, row: Object.fromEntries(row) })
}

function lineOf(text: string, path: string): Line {
  try {
    // Written by `textOf`.
    const value = JSON.parse(text, fromBase64) as { readonly format?: number } & Line
    if ('header' in value && value.format === FORMAT) return value
    if ('row' in value || 'end' in value) return value
  } catch {
    // As below.
  }
  throw new OperatorRefused(`${path} is not an export of an account by this version.`)
}

function fromBase64(_: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'base64' in value
  return isBytes ? Buffer.from(String(value.base64), 'base64') : value
}
