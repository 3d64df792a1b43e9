import type { Access } from '../access.ts'
import { type ChaosDeps, readChaos, setChaos } from '../mailpit/chaos.ts'

/** By which chance, from 0 to 1, MailHog's Jim refuses mail. */
export type Jim = {
  readonly RejectSenderChance: number
  readonly RejectRecipientChance: number
  readonly RejectAuthChance: number
}

/** The codes with which Jim refuses. */
const CODES = { sender: 550, recipient: 550, authentication: 535 } as const

/** Jim while he refuses something; null otherwise. */
export async function readJim(deps: ChaosDeps, access: Access): Promise<Jim | null> {
  const { Sender, Recipient, Authentication } = await readChaos(deps, access)
  const isOff = [Sender, Recipient, Authentication].every(({ Probability }) => Probability === 0)
  if (isOff) return null
  return {
    RejectSenderChance: Sender.Probability / 100,
    RejectRecipientChance: Recipient.Probability / 100,
    RejectAuthChance: Authentication.Probability / 100,
  }
}

/** Lets Jim refuse mail, or sends him away with null. */
export async function setJim(deps: ChaosDeps, access: Access, jim: Jim | null): Promise<void> {
  const trigger = (ErrorCode: number, chance = 0) => ({ ErrorCode, Probability: percentOf(chance) })
  await setChaos(deps, access, {
    Sender: trigger(CODES.sender, jim?.RejectSenderChance),
    Recipient: trigger(CODES.recipient, jim?.RejectRecipientChance),
    Authentication: trigger(CODES.authentication, jim?.RejectAuthChance),
  })
}

/** Whole percents; a chance above 0 is at least one. */
function percentOf(chance: number): number {
  return Math.min(100, Math.max(0, Math.ceil(chance * 100)))
}
