import type { AssertionRun } from '../assertions.ts'
import { type Client, type ClientOptions, checkClientOptions, createClient } from '../client.ts'
import type { Diagnostics } from '../diagnostics.ts'
import type { ReceivedLink, ReceivedOtp } from '../expectations.ts'
import type { InboxRecord } from '../inbox-calls.ts'
import type { Message } from '../messages.ts'
import type { CheckOptions } from '../wait-options.ts'
import {
  type CheckArgument,
  type CreateArgument,
  type InboxArgument,
  unpackOptions,
  type WaitArgument,
} from './cypress-wire.ts'

/** The tasks that the commands run in Node, by name. */
export type MayflyTasks = {
  readonly 'mayfly:createInbox': (argument: CreateArgument) => Promise<InboxRecord>
  readonly 'mayfly:readInbox': (argument: InboxArgument) => Promise<InboxRecord>
  readonly 'mayfly:deleteInbox': (argument: InboxArgument) => Promise<null>
  readonly 'mayfly:waitForEmail': (argument: WaitArgument) => Promise<Message>
  readonly 'mayfly:waitForOtp': (argument: WaitArgument) => Promise<ReceivedOtp>
  readonly 'mayfly:waitForLink': (argument: WaitArgument) => Promise<ReceivedLink>
  readonly 'mayfly:assertEmail': (argument: CheckArgument) => Promise<AssertionRun>
  readonly 'mayfly:diagnoseInbox': (argument: InboxArgument) => Promise<Diagnostics>
}

/**
 * The tasks of Cypress, which run in Node: `on('task', mayflyTasks())` in `setupNodeEvents`.
 *
 * Waits run here because the page's security policy and Cypress's default timeout do not apply, and
 * the API key does not reach the browser.
 */
export function mayflyTasks(options: ClientOptions = {}): MayflyTasks {
  checkClientOptions(options)
  let shared: Client | null = null
  // Created by the first task: a run without mail needs no key.
  const client = () => {
    shared ??= createClient(options)
    return shared
  }
  const open = ({ inboxId }: InboxArgument) => client().inboxes.get(inboxId)
  return {
    'mayfly:createInbox': ({ options: inbox }) => client().inboxes.create(inbox),
    'mayfly:readInbox': open,
    'mayfly:deleteInbox': async (argument) => {
      await (await open(argument))[Symbol.asyncDispose]()
      return null
    },
    'mayfly:waitForEmail': async (argument) =>
      (await open(argument)).waitForMessage(unpackOptions(argument.options)),
    'mayfly:waitForOtp': async (argument) =>
      (await open(argument)).waitForOtp(unpackOptions(argument.options)),
    'mayfly:waitForLink': async (argument) =>
      (await open(argument)).waitForLink(unpackOptions(argument.options)),
    'mayfly:assertEmail': async (argument) =>
      (await open(argument)).assert(argument.assertions, checkOptionsOf(argument)),
    'mayfly:diagnoseInbox': async (argument) => (await open(argument)).diagnose(),
  }
}

/** The options of a check: the service filters, without regular expressions. */
function checkOptionsOf({ options }: CheckArgument): CheckOptions {
  // `assert` refuses the patterns that these types allow.
  return unpackOptions(options) as CheckOptions
}
