import type { Operator } from '@mayfly/server'
import { defineCommand } from '../command.ts'
import { Misuse } from '../exit.ts'
import { withOperator } from '../operator.ts'
import { printableLine } from '../printable.ts'
import { formatTable } from '../table.ts'
import { print, printJson, style } from '../terminal.ts'
import { parseCount } from '../values.ts'

type Plan = Parameters<Operator['setPlan']>[1]

const PLANS: readonly Plan[] = ['key_only', 'connected', 'unlimited']

/** `mayfly admin accounts` */
export const accounts = defineCommand({
  name: 'admin accounts',
  summary: 'list accounts, newest first',
  options: {
    search: { type: 'string', short: 's', value: 'TEXT', about: 'only emails that hold it' },
    limit: { type: 'string', short: 'n', value: 'COUNT', about: 'at most so many (100)' },
    json: { type: 'boolean', about: 'print JSON, for programs' },
  },
  example: 'mayfly admin accounts --search @example.com',
  run: async ({ options, terminal }) => {
    const limit = parseCount('limit', options.limit ?? '100')
    const about = { emailHolds: options.search ?? '', limit }
    const found = await withOperator(terminal, (operator) => operator.listAccounts(about))
    if (options.json) return printJson(terminal, found)
    const rows = found.map((account) => [
      printableLine(account.email),
      account.plan,
      account.isConnected ? 'yes' : '',
      account.suspendedAt === null ? '' : day(account.suspendedAt),
      String(account.inboxes),
      String(account.activeKeys),
      day(account.createdAt),
      account.id,
    ])
    const header = ['email', 'plan', 'connected', 'suspended', 'inboxes', 'keys', 'created', 'id']
    print(terminal, formatTable(terminal, header, rows))
  },
})

/** `mayfly admin plan` */
export const plan = defineCommand({
  name: 'admin plan',
  summary: 'put an account on a plan, at once',
  args: ['EMAIL', 'PLAN'],
  about: `PLAN is ${PLANS.join(', ')}.`,
  options: {},
  example: 'mayfly admin plan dev@example.com connected',
  run: async ({ args: [email = '', name = ''], terminal }) => {
    const wanted = PLANS.find((known) => known === name)
    if (wanted === undefined) {
      throw new Misuse(`there is no plan "${name}". Known are: ${PLANS.join(', ')}.`)
    }
    const account = await withOperator(terminal, (operator) => operator.setPlan(email, wanted))
    print(terminal, `${account.email} is on the plan ${account.plan}.`)
  },
})

/** `mayfly admin give-key` */
export const giveKey = defineCommand({
  name: 'admin give-key',
  summary: 'make an admin key for an account whose owner has none left',
  args: ['EMAIL'],
  options: {},
  example: 'mayfly admin give-key dev@example.com',
  run: async ({ args: [email = ''], terminal }) => {
    const given = await withOperator(terminal, (operator) => operator.giveKey(email))
    print(terminal, `Key of ${given.account.email} (shown this once):`)
    print(terminal, style(terminal, 'bold', given.apiKey))
  },
})

/** `mayfly admin revoke-keys` */
export const revokeKeys = defineCommand({
  name: 'admin revoke-keys',
  summary: 'revoke every key of an account, at once',
  args: ['EMAIL'],
  options: {},
  example: 'mayfly admin revoke-keys dev@example.com && mayfly admin give-key dev@example.com',
  run: async ({ args: [email = ''], terminal }) => {
    const { account, revoked } = await withOperator(terminal, (operator) =>
      operator.revokeKeys(email),
    )
    print(terminal, `${account.email}: ${revoked} keys were revoked.`)
  },
})

/** `mayfly admin disconnect` */
export const disconnect = defineCommand({
  name: 'admin disconnect',
  summary: 'disconnect the external account of an account',
  args: ['EMAIL'],
  options: {},
  example: 'mayfly admin disconnect dev@example.com',
  run: async ({ args: [email = ''], terminal }) => {
    const account = await withOperator(terminal, (operator) => operator.disconnect(email))
    print(terminal, `${account.email} is disconnected, and on the plan ${account.plan}.`)
  },
})

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
