import type { Assertion, AssertionRun } from '../assertions.ts'
import type { Diagnostics } from '../diagnostics.ts'
import type { ReceivedLink, ReceivedOtp } from '../expectations.ts'
import type { InboxRecord } from '../inbox-calls.ts'
import type { Message } from '../messages.ts'
import { checkOptions } from '../options.ts'
import { CHECK, LINK, OTP, WAIT } from '../wait-options.ts'
import {
  type CypressCheckOptions,
  type CypressInboxOptions,
  type CypressLinkOptions,
  type CypressOptions,
  type CypressOtpOptions,
  type CypressWaitOptions,
  packOptions,
} from './cypress-wire.ts'

export { type MayflyTasks, mayflyTasks } from './cypress-tasks.ts'

type InboxRef = { readonly id: string }

declare global {
  namespace Cypress {
    // biome-ignore lint/suspicious/noExplicitAny: Cypress declares it so, and ours must agree.
    interface Chainable<Subject = any> {
      /** Creates an inbox. */
      createInbox(options?: CypressInboxOptions): Chainable<InboxRecord>
      /** The inbox as it is now; pass its `watermark` as `after` to match only later mail. */
      readInbox(inbox: InboxRef): Chainable<InboxRecord>
      /** Deletes an inbox and all its content. */
      deleteInbox(inbox: InboxRef): Chainable<null>
      /** Waits for a message. */
      waitForEmail(inbox: InboxRef, options?: CypressWaitOptions): Chainable<Message>
      /** Waits for a one-time code. */
      waitForOtp(inbox: InboxRef, options?: CypressOtpOptions): Chainable<ReceivedOtp>
      /** Waits for a link. */
      waitForLink(inbox: InboxRef, options?: CypressLinkOptions): Chainable<ReceivedLink>
      /** Waits for a message and checks it. */
      assertEmail(
        inbox: InboxRef,
        assertions: readonly Assertion[],
        options?: CypressCheckOptions,
      ): Chainable<AssertionRun>
      /** What happened to mail for the inbox, and what to do when none arrives. */
      diagnoseInbox(inbox: InboxRef): Chainable<Diagnostics>
    }
  }
}

/** The part of the global `Cypress` that is used. */
export type CypressGlobal = {
  readonly Commands: { addAll(commands: Record<string, (...args: never[]) => unknown>): void }
}

/** The part of the global `cy` that is used. */
export type CyGlobal = {
  task(name: string, argument: unknown, options: { readonly timeout: number }): unknown
}

/** Longest time of a call that does not wait for mail. */
const CALL_MS_MAX = 40_000

/** Default timeout of a wait. */
const WAIT_SECONDS = 30

/** Time beyond the wait itself: for the network and the diagnostics of a timeout. */
const OVERHEAD_MS = 20_000

/** The options of a wait, and which it may have. */
type WaitOf = {
  readonly options: CypressOptions
  readonly kinds: Parameters<typeof checkOptions>[1]
}

/** Adds the commands; call it in the support file: `addMayflyCommands(Cypress, cy)`. */
export function addMayflyCommands(cypress: CypressGlobal, cy: CyGlobal): void {
  const call = (task: string, argument: unknown) =>
    cy.task(`mayfly:${task}`, argument, { timeout: CALL_MS_MAX })
  // Otherwise Cypress ends the task at its own default timeout.
  const wait = (task: string, argument: object, { options, kinds }: WaitOf) => {
    checkOptions(options, kinds)
    const timeout = (options.timeoutSeconds ?? WAIT_SECONDS) * 1000 + OVERHEAD_MS
    return cy.task(`mayfly:${task}`, { ...argument, options: packOptions(options) }, { timeout })
  }
  cypress.Commands.addAll({
    createInbox: (options: CypressInboxOptions = {}) => call('createInbox', { options }),
    readInbox: ({ id }: InboxRef) => call('readInbox', { inboxId: id }),
    deleteInbox: ({ id }: InboxRef) => call('deleteInbox', { inboxId: id }),
    diagnoseInbox: ({ id }: InboxRef) => call('diagnoseInbox', { inboxId: id }),
    waitForEmail: ({ id }: InboxRef, options: CypressWaitOptions = {}) =>
      wait('waitForEmail', { inboxId: id }, { options, kinds: WAIT }),
    waitForOtp: ({ id }: InboxRef, options: CypressOtpOptions = {}) =>
      wait('waitForOtp', { inboxId: id }, { options, kinds: OTP }),
    waitForLink: ({ id }: InboxRef, options: CypressLinkOptions = {}) =>
      wait('waitForLink', { inboxId: id }, { options, kinds: LINK }),
    assertEmail: (
      { id }: InboxRef,
      assertions: readonly Assertion[],
      options: CypressCheckOptions = {},
    ) => wait('assertEmail', { inboxId: id, assertions }, { options, kinds: CHECK }),
  })
}
