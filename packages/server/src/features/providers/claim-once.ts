// A key of a call, so that a repeated call is answered and not made again.

import { hash } from 'node:crypto'
import type { AccountId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'

export type ClaimDeps = { readonly store: Store; readonly clock: Clock }

/** The result of claiming a key; `text` is the stored answer. */
export type Claim =
  | { readonly state: 'claimed'; readonly token: string }
  | { readonly state: 'running' | 'differs' }
  | { readonly state: 'answered'; readonly answer: unknown }

type Kept = {
  readonly bodyHash: string
  readonly claimedAt: number
  /** Null while the call is running. */
  readonly answer: unknown
}

/** A call that did not end is forgotten: its process has ended. */
const RUNNING_MS_MAX = 2 * 60_000

/** Claims a key, unless an earlier call with it is running or was answered. */
export async function claimOnce(
  { store, clock }: ClaimDeps,
  owner: AccountId,
  { key, body }: { readonly key: string; readonly body: Uint8Array },
): Promise<Claim> {
  const now = clock.now()
  const bodyHash = hash('sha256', body)
  return store.transaction(async (tx) => {
    const text = await tx.idempotencyKeys.takeOrRecall(owner, key, now)
    // Written below, or by `keepAnswer`.
    const kept = text === null ? null : (JSON.parse(text) as Kept)
    const isLapsed = kept?.answer === null && kept.claimedAt + RUNNING_MS_MAX <= now
    if (kept !== null && !isLapsed) {
      if (kept.bodyHash !== bodyHash) return { state: 'differs' }
      return kept.answer === null
        ? { state: 'running' }
        : { state: 'answered', answer: kept.answer }
    }
    const claimed: Kept = { bodyHash, claimedAt: now, answer: null }
    await tx.idempotencyKeys.keep(owner, key, JSON.stringify(claimed))
    return { state: 'claimed', token: JSON.stringify([key, claimed]) }
  })
}

/** Keeps the answer to a call that claimed a key; null lets the key go, for a call that failed. */
export async function keepAnswer(
  { store }: Pick<ClaimDeps, 'store'>,
  owner: AccountId,
  { token, answer }: { readonly token: string; readonly answer: unknown },
): Promise<void> {
  // Written by `claimOnce`.
  const [key, claimed] = JSON.parse(token) as [string, Kept]
  if (answer === null) await store.idempotencyKeys.forget(owner, key)
  else await store.idempotencyKeys.keep(owner, key, JSON.stringify({ ...claimed, answer }))
}
