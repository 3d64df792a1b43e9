import type { Operator } from '@mayfly/server'
import { defineCommand } from '../command.ts'
import { UsageError } from '../exit.ts'
import { withOperator } from '../operator.ts'
import { parseCount } from '../option-values.ts'
import { formatTable, print, printableLine, printJson, printSecret } from '../output.ts'

type Plan = Parameters<Operator['setPlan']>[1]

const PLANS: readonly Plan[] = ['key_only', 'connected', 'unlimited']

/** `mayfly admin accounts` */
export const accounts = defineCommand({
  name: 'admin accounts',
  summary: 'list accounts, newest first',
  options: {
    search: {
      type: 'string',
      short: 's',
      value: 'TEXT',
      about: 'only accounts whose email contains this text',
    },
    limit: {
      type: 'string',
      short: 'n',
      value: 'COUNT',
      about: 'maximum number of accounts (default: 100)',
    },
    json: { type: 'boolean', about: 'print JSON' },
  },
  example: 'mayfly admin accounts --search @example.com',
  run: async ({ options, terminal }) => {
    const limit = parseCount('limit', options.limit ?? '100')
    const query = { emailContains: options.search ?? '', limit }
    const found = await withOperator(terminal, (operator) => operator.listAccounts(query))
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
  summary: 'change the plan of an account immediately',
  args: ['EMAIL', 'PLAN'],
  about: `PLAN is one of ${PLANS.join(', ')}.`,
  options: {},
  example: 'mayfly admin plan dev@example.com connected',
  run: async ({ args: [email = '', name = ''], terminal }) => {
    const chosen = PLANS.find((known) => known === name)
    if (chosen === undefined) {
      throw new UsageError(`unknown plan "${name}". Known plans: ${PLANS.join(', ')}.`)
    }
    const account = await withOperator(terminal, (operator) => operator.setPlan(email, chosen))
    print(terminal, `${account.email} is on the plan ${account.plan}.`)
  },
})

/** `mayfly admin give-key` */
export const giveKey = defineCommand({
  name: 'admin give-key',
  summary: 'create an admin key for an account whose owner has lost all keys',
  args: ['EMAIL'],
  options: {},
  example: 'mayfly admin give-key dev@example.com',
  run: async ({ args: [email = ''], terminal }) => {
    const given = await withOperator(terminal, (operator) => operator.giveKey(email))
    printSecret(terminal, `Key of ${given.account.email}`, given.apiKey)
  },
})

/** `mayfly admin revoke-keys` */
export const revokeKeys = defineCommand({
  name: 'admin revoke-keys',
  summary: 'revoke all keys of an account immediately',
  args: ['EMAIL'],
  options: {},
  example: 'mayfly admin revoke-keys dev@example.com && mayfly admin give-key dev@example.com',
  run: async ({ args: [email = ''], terminal }) => {
    const { account, revoked } = await withOperator(terminal, (operator) =>
      operator.revokeKeys(email),
    )
    print(
      terminal,
      `${account.email}: ${revoked} ${revoked === 1 ? 'key was' : 'keys were'} revoked.`,
    )
  },
})

/** `mayfly admin disconnect` */
export const disconnect = defineCommand({
  name: 'admin disconnect',
  summary: 'disconnect the external account from an account',
  args: ['EMAIL'],
  options: {},
  example: 'mayfly admin disconnect dev@example.com',
  run: async ({ args: [email = ''], terminal }) => {
    const account = await withOperator(terminal, (operator) => operator.disconnect(email))
    print(terminal, `${account.email} is disconnected and on the plan ${account.plan}.`)
  },
})

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
