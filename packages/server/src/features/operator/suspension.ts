import { OperatorRefused } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import { OPERATOR_ACCOUNT } from '../rules/own-ids.ts'
import { getTarget, type Target } from './target.ts'

export type SuspensionDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
}

/** Suspends an account (its keys, and mail to its inboxes) or an inbox (mail to it). */
export async function suspend(deps: SuspensionDeps, text: string, reason: string): Promise<Target> {
  const now = deps.clock.now()
  return deps.store.transaction(async (tx) => {
    const target = await getTarget(tx, text)
    requireNotOperator(target)
    if (target.kind === 'account') {
      await tx.operator.setAccountSuspended(target.account.id, now)
    } else if (await tx.receiving.suspend(target.inbox.id, now, reason)) {
      const { id: inboxId } = target.inbox
      const event = { id: deps.ids.next('diagnostic'), inboxId, at: now, detail: reason }
      await tx.diagnostics.add([{ ...event, stage: 'inbox.suspended' }])
    }
    return target
  })
}

/** Resumes an account or an inbox. */
export async function resume(deps: SuspensionDeps, text: string): Promise<Target> {
  return deps.store.transaction(async (tx) => {
    const target = await getTarget(tx, text)
    if (target.kind === 'account') await tx.operator.setAccountSuspended(target.account.id, null)
    else await tx.operator.resumeInbox(target.inbox.id)
    return target
  })
}

/** Refuses a command that would stop mail to postmaster and abuse. */
export function requireNotOperator(target: Target): void {
  const accountId = target.kind === 'account' ? target.account.id : target.inbox.accountId
  if (accountId !== OPERATOR_ACCOUNT) return
  throw new OperatorRefused(
    "The operator's own account receives mail to postmaster and abuse; it cannot be suspended or purged.",
  )
}
