import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type * as contract from '@mayfly/contract'
import { WAIT_SECONDS } from '@mayfly/contract'
import type { z } from 'zod'
import type { Limits, UsageDay } from '../src/accounts.ts'
import type { WaitDiagnostics } from '../src/diagnostics.ts'
import type { ReceivingDomain } from '../src/domains.ts'
import type { AccountEventData } from '../src/events/account-event.ts'
import type { InboxRecord } from '../src/inbox-calls.ts'
import type * as client from '../src/index.ts'
import type { HeldWait, OtpCandidate, ServiceDescription } from '../src/internal.ts'
import { WAIT_SECONDS_MAX } from '../src/wait-call.ts'

// The client writes its types out, so that its users need no zod. Here the compiler proves that
// they are the contract's: ids are plain strings to a user, and nothing is to be written to.

type AnyId = { [Kind in contract.IdKind]: contract.Id<Kind> }[contract.IdKind]

type Plain<T> = T extends AnyId
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Plain<T[Name]> }
      : T

/** True when each is assignable to the other, optional fields included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Refused by the compiler where the two differ. */
type Agree<Ours, Theirs extends Same<Plain<Ours>, Plain<Theirs>> extends true ? unknown : never> = [
  Ours,
  Theirs,
]

type ContractEventData = {
  [Type in contract.AccountEventType]: z.infer<(typeof contract.accountEventSchemas)[Type]>
}

/** Every record that goes over the wire. */
export type Proven = [
  Agree<client.Account, contract.Account>,
  Agree<Limits, contract.Limits>,
  Agree<UsageDay, contract.UsageDay>,
  Agree<client.Key, contract.Key>,
  Agree<ServiceDescription, contract.ServiceDescription>,
  Agree<InboxRecord, contract.Inbox>,
  Agree<client.MessageSummary, contract.MessageSummary>,
  Agree<client.Message, contract.Message>,
  Agree<client.Assertion, z.input<typeof contract.assertionSchema>>,
  Agree<OtpCandidate, contract.OtpCandidate>,
  Agree<client.AssertionRun, contract.AssertionRun>,
  Agree<client.Scenario, contract.Scenario>,
  Agree<client.Diagnostics, contract.Diagnostics>,
  Agree<WaitDiagnostics, contract.WaitDiagnostics>,
  Agree<client.Domain, contract.Domain>,
  Agree<ReceivingDomain, contract.ReceivingDomain>,
  Agree<client.Webhook, contract.Webhook>,
  Agree<client.Delivery, contract.Delivery>,
  Agree<client.WebhookEvent, contract.WebhookEvent>,
  Agree<client.ErrorCode, contract.ErrorCode>,
  Agree<HeldWait, contract.HeldWait>,
  Agree<AccountEventData, ContractEventData>,
]

describe('the client against the contract', () => {
  it('asks the service to hold a call no longer than it does', () => {
    assert.equal(WAIT_SECONDS_MAX, WAIT_SECONDS.max)
  })
})
