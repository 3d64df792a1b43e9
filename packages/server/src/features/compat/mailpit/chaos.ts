import { FAULT_SECONDS, type FaultRule, type Faults, type InboxId } from '@mayfly/contract'
import type { Caller } from '../../accounts/authenticate.ts'
import type { Access } from '../access.ts'

/** What chaos needs: the fault rules of an inbox. */
export type ChaosDeps = {
  readonly readFaults: (caller: Caller, inboxId: InboxId) => Promise<Faults>
  readonly setFaults: (
    caller: Caller,
    request: {
      readonly inboxId: InboxId
      readonly rules: readonly FaultRule[]
      readonly expiresInSeconds: number
    },
  ) => Promise<Faults>
}

/** When mail is refused, and with which code; a probability of 0 is off. */
type Trigger = { readonly ErrorCode: number; readonly Probability: number }

/** Mailpit's triggers. */
export type Triggers = {
  readonly Sender: Trigger
  readonly Recipient: Trigger
  readonly Authentication: Trigger
}

/** The values of triggers that are not set. */
const TRIGGERS_OFF: Triggers = {
  Sender: { ErrorCode: 451, Probability: 0 },
  Recipient: { ErrorCode: 451, Probability: 0 },
  Authentication: { ErrorCode: 535, Probability: 0 },
}

const PHASES = {
  Sender: 'sender',
  Recipient: 'recipient',
  Authentication: 'authentication',
} as const

const NAMES = ['Sender', 'Recipient', 'Authentication'] as const

/** The triggers of the first shown inbox. */
export async function readChaos(deps: ChaosDeps, access: Access): Promise<Triggers> {
  const [inboxId] = access.inboxIds
  if (inboxId === undefined) return TRIGGERS_OFF
  const { rules } = await deps.readFaults(access.caller, inboxId)
  const triggerOf = (name: keyof typeof PHASES): Trigger => {
    const rule = rules.find(({ phase }) => phase === PHASES[name])
    if (rule === undefined || rule.phase === 'api') return TRIGGERS_OFF[name]
    return { ErrorCode: rule.code, Probability: rule.probability ?? 100 }
  }
  return {
    Sender: triggerOf('Sender'),
    Recipient: triggerOf('Recipient'),
    Authentication: triggerOf('Authentication'),
  }
}

/** Sets the triggers of the shown inboxes. */
export async function setChaos(
  deps: ChaosDeps,
  access: Access,
  triggers: Triggers,
): Promise<Triggers> {
  const rules = NAMES.flatMap((name) => {
    const { ErrorCode: code, Probability: probability } = triggers[name]
    const text = `Chaos ${PHASES[name]} error`
    return probability === 0 ? [] : [{ phase: PHASES[name], code, probability, text }]
  })
  for (const inboxId of access.inboxIds) {
    // As long as may be: Mailpit's last until they are reset.
    await deps.setFaults(access.caller, { inboxId, rules, expiresInSeconds: FAULT_SECONDS.max })
  }
  return readChaos(deps, access)
}
