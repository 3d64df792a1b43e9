import { runSteps, type Steps } from '@mayfly/mail'
import { type ArrivedMail, composeSteps } from '../features/receiving/compose.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { NewMail } from '../store/tables/mails.ts'

/** Everything that is stored of a mail, from its bytes, step by step. */
export type ComposeSteps = (arrived: ArrivedMail) => Steps<NewMail>

/** What a composer needs. */
type ComposerDeps = {
  readonly hostName: string
  readonly isScanned: boolean
  readonly isTextInRaw: boolean
  readonly log: Log
}

/** Composes mails on this thread, one by one. */
export function createComposer(deps: ComposerDeps): (arrived: ArrivedMail) => NewMail {
  const steps = createStepComposer(deps)
  return (arrived) => runSteps(steps(arrived))
}

/** Composes mails on this thread, as many together as the caller likes. */
export function createStepComposer(deps: ComposerDeps): ComposeSteps {
  const { hostName, isScanned, isTextInRaw, log } = deps
  let mailReceivedAt = 0
  const ids = createIds({ now: () => mailReceivedAt })
  const compose = {
    hostName,
    isScanned,
    isTextInRaw,
    newAttachmentId: (receivedAt: number) => {
      mailReceivedAt = receivedAt
      return ids.next('attachment')
    },
    onError: (error: unknown) =>
      log.error({ err: error }, 'a mail could not be parsed; it is stored raw'),
  }
  return (arrived) => composeSteps(compose, arrived)
}
