import type { Operator } from '@mayfly/server'
import { defineCommand } from '../command.ts'
import { Misuse } from '../exit.ts'
import { withOperator } from '../operator.ts'
import { print } from '../terminal.ts'

const WHAT = 'WHAT is an account by its email or id, or an inbox by its address or id.'

type Target = Awaited<ReturnType<Operator['getTarget']>>

/** `mayfly admin suspend` */
export const suspend = defineCommand({
  name: 'admin suspend',
  summary: 'stop an account or an inbox',
  args: ['WHAT'],
  about: `${WHAT}
The keys of a stopped account do not work, and no mail is taken for its inboxes;
for a stopped inbox no mail is taken.`,
  options: {
    reason: { type: 'string', value: 'TEXT', about: "shown in the inbox's diagnostics" },
  },
  example: "mayfly admin suspend flood@mayfly.test --reason 'floods the service'",
  run: async ({ options, args: [what = ''], terminal }) => {
    const reason = options.reason ?? 'suspended by the operator'
    const target = await withOperator(terminal, (operator) => operator.suspend(what, reason))
    print(terminal, `${nameOf(target)} is suspended.`)
  },
})

/** `mayfly admin resume` */
export const resume = defineCommand({
  name: 'admin resume',
  summary: 'let a stopped account or inbox go on',
  args: ['WHAT'],
  about: WHAT,
  options: {},
  example: 'mayfly admin resume flood@mayfly.test',
  run: async ({ args: [what = ''], terminal }) => {
    const target = await withOperator(terminal, (operator) => operator.resume(what))
    print(terminal, `${nameOf(target)} goes on.`)
  },
})

/** `mayfly admin purge` */
export const purge = defineCommand({
  name: 'admin purge',
  summary: 'delete an account or an inbox with all that is in it',
  args: ['WHAT'],
  about: `${WHAT}
Nothing brings it back but a backup.`,
  options: { yes: { type: 'boolean', about: 'really do it' } },
  example: 'mayfly admin purge dev@example.com --yes',
  run: async ({ options, args: [what = ''], terminal }) => {
    if (!options.yes) {
      const target = await withOperator(terminal, (operator) => operator.getTarget(what))
      throw new Misuse(`this deletes ${nameOf(target)} for good. Add --yes to really do it.`)
    }
    const { target, inboxes } = await withOperator(terminal, (operator) => operator.purge(what))
    const content = target.kind === 'account' ? ` with ${inboxes} inboxes` : ''
    print(terminal, `${nameOf(target)} is gone${content}.`)
  },
})

function nameOf(target: Target): string {
  return target.kind === 'account'
    ? `the account ${target.account.email} (${target.account.id})`
    : `the inbox ${target.inbox.address} (${target.inbox.id})`
}
