import type { Assertion, AssertionRun } from '../assertions.ts'
import type { Diagnostics } from '../diagnostics.ts'
import type { TextPattern } from '../filter.ts'
import type { InboxRecord } from '../inbox-calls.ts'
import type { Message } from '../messages.ts'
import type { ReceivedLink, ReceivedOtp } from '../wanted.ts'
import {
  type CypressInboxOptions,
  type CypressWaitOptions,
  packOptions,
  packPattern,
} from './cypress-wire.ts'

export { type MayflyTasks, mayflyTasks } from './cypress-tasks.ts'

type InboxRef = { readonly id: string }

declare global {
  namespace Cypress {
    // biome-ignore lint/suspicious/noExplicitAny: Cypress declares it so, and ours must agree.
    interface Chainable<Subject = any> {
      /** Makes an inbox. */
      createInbox(options?: CypressInboxOptions): Chainable<InboxRecord>
      /** The inbox as it is now; pass its `watermark` as `after` to count only later mail. */
      readInbox(inbox: InboxRef): Chainable<InboxRecord>
      /** Deletes an inbox and all that is in it. */
      deleteInbox(inbox: InboxRef): Chainable<null>
      /** Waits for a message. */
      waitForEmail(inbox: InboxRef, options?: CypressWaitOptions): Chainable<Message>
      /** Waits for a one-time code. */
      waitForOtp(inbox: InboxRef, options?: CypressWaitOptions): Chainable<ReceivedOtp>
      /** Waits for a link whose address, or failing that whose text, is like the pattern. */
      waitForLink(
        inbox: InboxRef,
        pattern?: TextPattern,
        options?: CypressWaitOptions,
      ): Chainable<ReceivedLink>
      /** Waits for a message and checks it. */
      assertEmail(
        inbox: InboxRef,
        assertions: readonly Assertion[],
        options?: CypressWaitOptions,
      ): Chainable<AssertionRun>
      /** Where a missing mail may have got stuck. */
      diagnoseInbox(inbox: InboxRef): Chainable<Diagnostics>
    }
  }
}

/** What is used of the global `Cypress`. */
export type CypressGlobal = {
  readonly Commands: { addAll(commands: Record<string, (...args: never[]) => unknown>): void }
}

/** What is used of the global `cy`. */
export type CyGlobal = {
  task(name: string, argument: unknown, options: { readonly timeout: number }): unknown
}

/** Longest time of a call that waits for nothing. */
const CALL_MS_MAX = 40_000

/** How long a wait lasts that does not say it. */
const WAIT_SECONDS = 30

/** Time beyond the wait itself: for the way, and for the error that tells what arrived. */
const BEYOND_MS = 20_000

/** Adds the commands; call it in the support file: `addMayflyCommands(Cypress, cy)`. */
export function addMayflyCommands(cypress: CypressGlobal, cy: CyGlobal): void {
  const call = (task: string, argument: unknown) =>
    cy.task(`mayfly:${task}`, argument, { timeout: CALL_MS_MAX })
  // Cypress would cut a task short by its own timeout.
  const wait = (task: string, argument: object, options: CypressWaitOptions) => {
    const timeout = (options.timeoutSeconds ?? WAIT_SECONDS) * 1000 + BEYOND_MS
    return cy.task(`mayfly:${task}`, { ...argument, options: packOptions(options) }, { timeout })
  }
  cypress.Commands.addAll({
    createInbox: (options: CypressInboxOptions = {}) => call('createInbox', { options }),
    readInbox: ({ id }: InboxRef) => call('readInbox', { inboxId: id }),
    deleteInbox: ({ id }: InboxRef) => call('deleteInbox', { inboxId: id }),
    diagnoseInbox: ({ id }: InboxRef) => call('diagnoseInbox', { inboxId: id }),
    waitForEmail: ({ id }: InboxRef, options: CypressWaitOptions = {}) =>
      wait('waitForEmail', { inboxId: id }, options),
    waitForOtp: ({ id }: InboxRef, options: CypressWaitOptions = {}) =>
      wait('waitForOtp', { inboxId: id }, options),
    waitForLink: ({ id }: InboxRef, pattern?: TextPattern, options: CypressWaitOptions = {}) =>
      wait('waitForLink', { inboxId: id, pattern: packPattern(pattern) }, options),
    assertEmail: (
      { id }: InboxRef,
      assertions: readonly Assertion[],
      options: CypressWaitOptions = {},
    ) => wait('assertEmail', { inboxId: id, assertions }, options),
  })
}
