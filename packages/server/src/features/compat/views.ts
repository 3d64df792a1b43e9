// The responses of the APIs of mail catchers. They are composed in another thread, by the functions
// of the same names; null stands for a message that was deleted, or has no such part.

import type { AccountId, AttachmentId } from '@mayfly/contract'
import type { CatchAllRef } from '../../store/tables/catch-all-messages.ts'
import type { Access } from './access.ts'
import type { MailDevView } from './maildev/view.ts'
import type { MailHogView } from './mailhog/view.ts'
import type { MailpitView } from './mailpit/view.ts'

type Compose<View> = (owner: AccountId, view: View) => Promise<Uint8Array | null>

/** An attachment, by its number in Mailpit's API. */
type MailpitPart = { readonly ref: CatchAllRef; readonly partId: string }

export type ViewDeps = {
  readonly content: {
    readonly composeMailpit: Compose<MailpitView>
    readonly composeMailHog: Compose<MailHogView>
    readonly composeMailDev: Compose<MailDevView>
    readonly findPart: (owner: AccountId, part: MailpitPart) => Promise<AttachmentId | null>
  }
}

/** The text of a view of Mailpit's API. */
export function viewMailpit({ content }: ViewDeps, { caller }: Access, view: MailpitView) {
  return content.composeMailpit(caller.accountId, view)
}

/** The text of a view of MailHog's API. */
export function viewMailHog({ content }: ViewDeps, { caller }: Access, view: MailHogView) {
  return content.composeMailHog(caller.accountId, view)
}

/** The text of a view of MailDev's API. */
export function viewMailDev({ content }: ViewDeps, { caller }: Access, view: MailDevView) {
  return content.composeMailDev(caller.accountId, view)
}

/** The attachment with a number of Mailpit's API; null without it. */
export function findMailpitPart({ content }: ViewDeps, { caller }: Access, part: MailpitPart) {
  return content.findPart(caller.accountId, part)
}
