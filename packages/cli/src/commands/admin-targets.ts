import type { Operator } from '@mayfly/server'
import { defineCommand } from '../command.ts'
import { UsageError } from '../exit.ts'
import { withOperator } from '../operator.ts'
import { print } from '../output.ts'

const WHAT = 'WHAT is an account by its email or id, or an inbox by its address or id.'

type Target = Awaited<ReturnType<Operator['getTarget']>>

/** `mayfly admin suspend` */
export const suspend = defineCommand({
  name: 'admin suspend',
  summary: 'suspend an account or an inbox',
  args: ['WHAT'],
  about: `${WHAT}
The keys of a suspended account are rejected, and mail to its inboxes is refused.
Mail to a suspended inbox is refused.`,
  options: {
    reason: { type: 'string', value: 'TEXT', about: "shown in the inbox's diagnostics" },
  },
  example: "mayfly admin suspend flood@mayfly.test --reason 'too much mail'",
  run: async ({ options, args: [what = ''], terminal }) => {
    const reason = options.reason ?? 'suspended by the operator'
    const target = await withOperator(terminal, (operator) => operator.suspend(what, reason))
    print(terminal, `${nameOf(target)} is suspended.`)
  },
})

/** `mayfly admin resume` */
export const resume = defineCommand({
  name: 'admin resume',
  summary: 'resume a suspended account or inbox',
  args: ['WHAT'],
  about: WHAT,
  options: {},
  example: 'mayfly admin resume flood@mayfly.test',
  run: async ({ args: [what = ''], terminal }) => {
    const target = await withOperator(terminal, (operator) => operator.resume(what))
    print(terminal, `${nameOf(target)} is resumed.`)
  },
})

/** `mayfly admin purge` */
export const purge = defineCommand({
  name: 'admin purge',
  summary: 'delete an account or an inbox with all its data',
  args: ['WHAT'],
  about: `${WHAT}
The data can only be restored from a backup.`,
  options: { yes: { type: 'boolean', about: 'confirm the deletion' } },
  example: 'mayfly admin purge dev@example.com --yes',
  run: async ({ options, args: [what = ''], terminal }) => {
    if (!options.yes) {
      const target = await withOperator(terminal, (operator) => operator.getTarget(what))
      throw new UsageError(`this permanently deletes ${nameOf(target)}. Add --yes to confirm.`)
    }
    const { target, inboxes } = await withOperator(terminal, (operator) => operator.purge(what))
    const count = `${inboxes} ${inboxes === 1 ? 'inbox' : 'inboxes'}`
    const content = target.kind === 'account' ? ` with ${count}` : ''
    print(terminal, `${nameOf(target)} was deleted${content}.`)
  },
})

function nameOf(target: Target): string {
  return target.kind === 'account'
    ? `the account ${target.account.email} (${target.account.id})`
    : `the inbox ${target.inbox.address} (${target.inbox.id})`
}
