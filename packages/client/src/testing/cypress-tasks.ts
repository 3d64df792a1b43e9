import type { AssertionRun } from '../assertions.ts'
import { type Client, type ClientOptions, createClient } from '../client.ts'
import type { Diagnostics } from '../diagnostics.ts'
import type { InboxRecord } from '../inbox-calls.ts'
import type { Message } from '../messages.ts'
import type { ReceivedLink, ReceivedOtp } from '../wanted.ts'
import {
  type CheckArgument,
  type CreateArgument,
  type InboxArgument,
  type LinkArgument,
  unpackOptions,
  unpackPattern,
  type WaitArgument,
} from './cypress-wire.ts'

/** What the commands ask of the Node process, by name. */
export type MayflyTasks = {
  readonly 'mayfly:createInbox': (argument: CreateArgument) => Promise<InboxRecord>
  readonly 'mayfly:readInbox': (argument: InboxArgument) => Promise<InboxRecord>
  readonly 'mayfly:deleteInbox': (argument: InboxArgument) => Promise<null>
  readonly 'mayfly:waitForEmail': (argument: WaitArgument) => Promise<Message>
  readonly 'mayfly:waitForOtp': (argument: WaitArgument) => Promise<ReceivedOtp>
  readonly 'mayfly:waitForLink': (argument: LinkArgument) => Promise<ReceivedLink>
  readonly 'mayfly:assertEmail': (argument: CheckArgument) => Promise<AssertionRun>
  readonly 'mayfly:diagnoseInbox': (argument: InboxArgument) => Promise<Diagnostics>
}

/**
 * The side of Cypress that runs in Node: `on('task', mayflyTasks())` in `setupNodeEvents`.
 *
 * Waits happen here, where neither the page's rules nor Cypress's default timeout cut them, and
 * where the key stays out of the browser.
 */
export function mayflyTasks(options: ClientOptions = {}): MayflyTasks {
  let made: Client | null = null
  // Not before the first task: a run without mail needs no key.
  const client = () => {
    made ??= createClient(options)
    return made
  }
  const open = ({ inboxId }: InboxArgument) => client().inboxes.get(inboxId)
  return {
    'mayfly:createInbox': ({ options: wanted }) => client().inboxes.create(wanted),
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
      (await open(argument)).waitForLink(
        unpackPattern(argument.pattern),
        unpackOptions(argument.options),
      ),
    'mayfly:assertEmail': async (argument) =>
      (await open(argument)).assert(argument.assertions, unpackOptions(argument.options)),
    'mayfly:diagnoseInbox': async (argument) => (await open(argument)).diagnose(),
  }
}
