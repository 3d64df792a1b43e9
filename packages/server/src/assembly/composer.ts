import { type ArrivedMail, composeMail } from '../features/receiving/compose.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { NewMail } from '../store/tables/mails.ts'

/** Everything that is stored of a mail, from its bytes. */
export type Compose = (arrived: ArrivedMail) => NewMail

/** Composes mails on this thread. */
export function createComposer(deps: {
  readonly hostName: string
  readonly isScanned: boolean
  readonly isTextInRaw: boolean
  readonly log: Log
}): Compose {
  const { hostName, isScanned, isTextInRaw, log } = deps
  let receivedAt = 0
  const ids = createIds({ now: () => receivedAt })
  const compose = {
    hostName,
    isScanned,
    isTextInRaw,
    newAttachmentId: () => ids.next('attachment'),
    onError: (error: unknown) =>
      log.error({ err: error }, 'a mail could not be parsed; it is stored raw'),
  }
  return (arrived) => {
    receivedAt = arrived.receivedAt
    return composeMail(compose, arrived)
  }
}
