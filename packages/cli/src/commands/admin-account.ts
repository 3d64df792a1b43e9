import { type Command, defineCommand, defineGroup } from '../command.ts'
import { UsageError } from '../exit.ts'
import { withOperator } from '../operator.ts'
import { print } from '../output.ts'

const exportCommand = defineCommand({
  name: 'admin account export',
  summary: 'close an account, and write it to a file for another cell',
  args: ['EMAIL', 'FILE'],
  about: `The account stays closed: mail for it gets 451, calls and waits 503, which clients repeat.
\`mayfly admin resume EMAIL\` opens it again, as long as it was not imported.
An export that was interrupted continues when the command is run again.
FILE has the secrets of webhooks; only its owner may read it.`,
  options: {
    to: { type: 'string', value: 'CELL', about: 'MAYFLY_CELL of the cell that it moves to' },
  },
  example: 'mayfly admin account export dev@example.com dev.move --to c2',
  run: async ({ options: { to }, args: [account = '', path = ''], terminal }) => {
    if (to === undefined || !/^[a-z][a-z0-9]{0,7}$/.test(to)) {
      throw new UsageError('--to must be the name of a cell, as c2')
    }
    const request = { account, path, to }
    const exported = await withOperator(terminal, (operator) => operator.exportAccount(request))
    print(terminal, `${exported.account.email} is closed; ${path} has its ${exported.rows} rows.`)
    print(terminal, `Next, with the settings of ${to}: mayfly admin account import ${path}`)
  },
})

const importCommand = defineCommand({
  name: 'admin account import',
  summary: 'add an account from the file of an export, and open it',
  args: ['FILE'],
  about: `Prints the lines for cells.map by which the proxy finds the account's keys.
An import that was interrupted is run again: what is there already stays as it is.`,
  options: {},
  example: 'mayfly admin account import dev.move',
  run: async ({ args: [path = ''], terminal }) => {
    const { email, cell, counts, keyPrefixes } = await withOperator(terminal, (operator) =>
      operator.importAccount(path),
    )
    const count = (table: string) => counts[table] ?? 0
    terminal.err(
      `${email} is open in ${cell}: ${count('inbox')} inboxes, ${count('message')} messages, ${count('api_key')} keys, ${count('webhook')} webhooks.\n`,
    )
    terminal.err('Lines for cells.map of the proxy:\n')
    for (const prefix of keyPrefixes) print(terminal, `${prefix} ${cell}`)
  },
})

/** Moves an account from one cell to another. */
export const account: Command = defineGroup('admin account', 'move an account to another cell', [
  exportCommand,
  importCommand,
])
