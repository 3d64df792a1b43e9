import type { DiagnosticId, FaultPhase, InboxId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { StoredFaultRule } from '../../store/tables/faults.ts'

export type InjectDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly newDiagnosticId: () => DiagnosticId
  /** A random number from 0 to 1. */
  readonly fraction: () => number
  readonly announce: (inboxIds: readonly InboxId[]) => void
}

/** The attempt of a client, which an inbox may refuse. */
export type Attempt = {
  readonly inboxId: InboxId
  /** The phases whose reply is due, in their order. */
  readonly phases: readonly FaultPhase[]
  /** `mailFrom` is null before MAIL; `call` names the call of a provider's API. */
  readonly sender: {
    readonly mailFrom: string | null
    readonly remoteAddress: string
    readonly call?: string
  }
}

/** The reply with which the rules of an inbox refuse an attempt by SMTP; null when none does. */
export async function injectFault(deps: InjectDeps, attempt: Attempt): Promise<string | null> {
  const rule = await useFirstRule(deps, attempt)
  return rule === null ? null : replyOf(rule)
}

/**
 * Uses the first rule of an inbox that applies to an attempt; null when none does.
 *
 * A rule is used and the refusal recorded in one transaction, before the reply. Of concurrent
 * clients, on any thread or node, exactly as many are refused as the rule has times.
 */
export async function useFirstRule(
  deps: InjectDeps,
  attempt: Attempt,
): Promise<StoredFaultRule | null> {
  const { inboxId } = attempt
  const rules = await deps.store.faults.listUsable(inboxId)
  for (const phase of attempt.phases) {
    for (const rule of rules) {
      if (rule.phase !== phase || !applies(deps, rule)) continue
      const isUsed = await useRule(deps, attempt, rule)
      if (!isUsed) continue
      deps.announce([inboxId])
      return rule
    }
  }
  return null
}

function applies({ fraction }: InjectDeps, { probability }: StoredFaultRule): boolean {
  return probability === null || fraction() * 100 < probability
}

async function useRule(
  deps: InjectDeps,
  { inboxId, sender }: Attempt,
  rule: StoredFaultRule,
): Promise<boolean> {
  const { mailFrom, remoteAddress, call } = sender
  const of = call === undefined ? '' : `${call} `
  const from =
    mailFrom === null ? `from ${remoteAddress}` : `from <${mailFrom}> at ${remoteAddress}`
  const detail = `${replyOf(rule)} (rule ${rule.position + 1}, ${rule.phase}; ${of}${from})`
  return deps.store.transaction(async (tx) => {
    if (!(await tx.faults.use(inboxId, rule))) return false
    const event = { id: deps.newDiagnosticId(), inboxId, at: deps.clock.now(), detail }
    await tx.diagnostics.add([{ ...event, stage: 'fault.injected' }])
    return true
  })
}

function replyOf({ code, delayMs, text }: StoredFaultRule): string {
  const reply = code === null ? [] : [`${code} ${text}`]
  return [...reply, ...(delayMs === null ? [] : [`after ${delayMs} ms`])].join(' ')
}
