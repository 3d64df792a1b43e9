import type { AccountId } from '@mayfly/contract'
import { OperatorRefused } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import { getTarget, type Target } from './target.ts'

/** What stopping and purging need. */
export type SuspensionDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  /** The account of postmaster and abuse, which must go on. */
  readonly operatorAccount: AccountId
}

/** Stops an account (its keys, and mail to its inboxes) or an inbox (mail to it). */
export async function suspend(deps: SuspensionDeps, text: string, reason: string): Promise<Target> {
  const now = deps.clock.now()
  return deps.store.transaction(async (tx) => {
    const target = await getTarget(tx, text)
    refuseOperator(deps, target)
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

/** Lets an account or an inbox go on. */
export async function resume(deps: SuspensionDeps, text: string): Promise<Target> {
  return deps.store.transaction(async (tx) => {
    const target = await getTarget(tx, text)
    if (target.kind === 'account') await tx.operator.setAccountSuspended(target.account.id, null)
    else await tx.operator.resumeInbox(target.inbox.id)
    return target
  })
}

/** Stops a command that would leave mail to postmaster and abuse without a place. */
export function refuseOperator(deps: SuspensionDeps, target: Target): void {
  const accountId = target.kind === 'account' ? target.account.id : target.inbox.accountId
  if (accountId !== deps.operatorAccount) return
  throw new OperatorRefused("The operator's own account takes mail to postmaster: it must stay.")
}
