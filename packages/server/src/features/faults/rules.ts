import type { FaultRule, Faults, InboxId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { StoredFaultRule } from '../../store/tables/faults.ts'
import type { Caller } from '../accounts/authenticate.ts'

export type FaultDeps = { readonly store: Store; readonly clock: Clock }

/** Replaces the rules by which an inbox refuses mail. */
export async function setFaults(
  deps: FaultDeps,
  caller: Caller,
  request: {
    readonly inboxId: InboxId
    readonly rules: readonly FaultRule[]
    readonly expiresInSeconds: number
  },
): Promise<Faults> {
  const until = deps.clock.now() + request.expiresInSeconds * 1000
  const rules = request.rules.map(toStored)
  await replaceFaults(deps, caller, { inboxId: request.inboxId, rules, until })
  return present({ rules, until })
}

/** Lets an inbox accept mail again. */
export async function deleteFaults(
  deps: FaultDeps,
  caller: Caller,
  inboxId: InboxId,
): Promise<void> {
  await replaceFaults(deps, caller, { inboxId, rules: [], until: 0 })
}

/** The rules of an inbox that are not used up. */
export async function readFaults(
  deps: FaultDeps,
  caller: Caller,
  inboxId: InboxId,
): Promise<Faults> {
  const faults = await deps.store.faults.find(caller.accountId, inboxId, deps.clock.now())
  if (faults === null) throw new ServiceError('inbox_not_found')
  return present(faults)
}

async function replaceFaults(
  { store }: FaultDeps,
  { accountId }: Caller,
  faults: { readonly inboxId: InboxId; readonly rules: StoredFaultRule[]; readonly until: number },
): Promise<void> {
  const isFound = await store.transaction((tx) =>
    tx.faults.replace(accountId, faults.inboxId, faults),
  )
  if (!isFound) throw new ServiceError('inbox_not_found')
}

function toStored(rule: FaultRule, position: number): StoredFaultRule {
  const { times, probability } = rule
  const frequency = { timesLeft: times ?? null, probability: probability ?? null }
  if (rule.phase === 'api') {
    const { status = null, retryAfterSeconds = null, delayMs = null } = rule
    const text = rule.text ?? 'Injected api fault'
    const reply = { code: status, retryAfterSeconds, delayMs, text }
    return { position, phase: 'api', ...reply, ...frequency }
  }
  const { phase, code } = rule
  const text = rule.text ?? `${code < 500 ? 4 : 5}.3.0 Injected ${phase} fault`
  return { position, phase, code, retryAfterSeconds: null, delayMs: null, text, ...frequency }
}

function present({ rules, until }: { rules: readonly StoredFaultRule[]; until: number }): Faults {
  return {
    rules: rules.map(presentRule),
    expiresAt: rules.length === 0 ? null : new Date(until).toISOString(),
  }
}

function presentRule(rule: StoredFaultRule): Faults['rules'][number] {
  const { phase, code, retryAfterSeconds, delayMs, text, timesLeft, probability } = rule
  if (phase === 'api') {
    return { phase, status: code, retryAfterSeconds, delayMs, text, timesLeft, probability }
  }
  // Only a rule of the phase `api` may have no code.
  return { phase, code: code ?? 0, text, timesLeft, probability }
}
