import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Ids } from '../../platform/ids.ts'
import type { SecretBox } from '../../platform/secret-box.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { type NotFoundDeps, throwNotFound } from '../rules/not-found.ts'
import type { FrameRequest } from './compose-frame.ts'
import type { MessageRef } from './message-ref.ts'

export type FrameDeps = NotFoundDeps & {
  /** Encrypts the token of a frame, for all nodes. */
  readonly secretBox: SecretBox
  readonly ids: Pick<Ids, 'inCell'>
  /** Functions that run in another thread. */
  readonly content: {
    readonly composeFrame: (owner: AccountId, request: FrameRequest) => Promise<Uint8Array | null>
    readonly hasRemoteImages: (owner: AccountId, request: FrameRequest) => Promise<boolean | null>
  }
}

/** Whether a frame shows images of other servers. */
type RemoteImages = FrameRequest['remoteImages']

/** A page requests an address when it shows a message, and uses it at once. */
const TOKEN_MS = 60_000

/** The first word distinguishes a token from other texts encrypted with the same key. */
const TOKEN = /^frame (acc_\w+) (inb_\w+) (msg_\w+) (block|allow) (\d+)$/

/** An address at which a message is shown by itself, without a key, for a minute. */
export async function createFrame(
  deps: FrameDeps,
  caller: Caller,
  request: MessageRef & { readonly remoteImages: RemoteImages },
): Promise<{ url: string; expiresAt: string; hasRemoteImages: boolean }> {
  const { accountId } = caller
  const { inboxId, messageId, remoteImages } = request
  // Composes the document, so that it is in the cache when the page requests it.
  const hasRemoteImages = await deps.content.hasRemoteImages(accountId, request)
  if (hasRemoteImages === null) return throwNotFound(deps, caller, request)
  const expiresAt = deps.clock.now() + TOKEN_MS
  const text = `frame ${accountId} ${inboxId} ${messageId} ${remoteImages} ${expiresAt}`
  const url = `/frame/${deps.ids.inCell(deps.secretBox.seal(text))}`
  return { url, expiresAt: new Date(expiresAt).toISOString(), hasRemoteImages }
}

/** The document of the message that a token is for; throws when it has expired. */
export async function readFrame(
  deps: FrameDeps,
  token: string,
): Promise<{ owner: AccountId; document: Uint8Array; remoteImages: RemoteImages }> {
  const { accountId, request, expiresAt } = openToken(deps, token)
  const isValid = expiresAt > deps.clock.now()
  const document = isValid ? await deps.content.composeFrame(accountId, request) : null
  if (document === null) throw new ServiceError('message_not_found')
  return { owner: accountId, document, remoteImages: request.remoteImages }
}

function openToken(
  deps: FrameDeps,
  token: string,
): { accountId: AccountId; request: FrameRequest; expiresAt: number } {
  const [, account, inbox, message, remoteImages, expiresAt] = TOKEN.exec(opened(deps, token)) ?? []
  if (account === undefined) throw new ServiceError('message_not_found')
  return {
    // The content that `createFrame` encrypted.
    accountId: account as AccountId,
    request: {
      inboxId: inbox as InboxId, // As above.
      messageId: message as MessageId, // As above.
      remoteImages: remoteImages === 'allow' ? 'allow' : 'block',
    },
    expiresAt: Number(expiresAt),
  }
}

function opened(deps: FrameDeps, token: string): string {
  try {
    return deps.secretBox.open(token.replace(deps.ids.inCell(''), ''))
  } catch {
    return ''
  }
}
