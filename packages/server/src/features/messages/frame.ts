import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { FrameRequest } from './compose-frame.ts'
import type { MessageRef } from './message-ref.ts'
import { type MissingDeps, missing } from './missing.ts'

/** What frames need. */
export type FrameDeps = MissingDeps & {
  /** Encrypts the token of a frame, for all nodes. */
  readonly seal: (text: string) => string
  /** Decrypts it; throws when it was changed. */
  readonly open: (sealed: string) => string
  /** The document of a message, away from this thread. */
  readonly composeFrame: (owner: AccountId, request: FrameRequest) => Promise<Uint8Array | null>
  /** Whether it can show images of other servers, away from this thread, too. */
  readonly hasRemoteImages: (owner: AccountId, request: FrameRequest) => Promise<boolean | null>
}

/** Whether a frame shows images of other servers. */
type RemoteImages = FrameRequest['remoteImages']

/** A page asks for an address when it shows a message, and uses it at once. */
const TOKEN_MS = 60_000

/** The first word tells a token from other texts that are encrypted with the same key. */
const TOKEN = /^frame (acc_\w+) (inb_\w+) (msg_\w+) (block|allow) (\d+)$/

/** An address at which a message is shown by itself, without a key, for a minute. */
export async function createFrame(
  deps: FrameDeps,
  caller: Caller,
  request: MessageRef & { readonly remoteImages: RemoteImages },
): Promise<{ url: string; expiresAt: string; hasRemoteImages: boolean }> {
  const { accountId } = caller
  const { inboxId, messageId, remoteImages } = request
  // Composes the document, which is then in the cache when the page asks for it.
  const hasRemoteImages = await deps.hasRemoteImages(accountId, request)
  if (hasRemoteImages === null) return missing(deps, caller, request)
  const expiresAt = deps.clock.now() + TOKEN_MS
  const text = `frame ${accountId} ${inboxId} ${messageId} ${remoteImages} ${expiresAt}`
  const url = `/frame/${deps.seal(text)}`
  return { url, expiresAt: new Date(expiresAt).toISOString(), hasRemoteImages }
}

/** The document of the message that a token is for; throws when it has expired. */
export async function readFrame(
  deps: FrameDeps,
  token: string,
): Promise<{ document: Uint8Array; remoteImages: RemoteImages }> {
  const { accountId, request, expiresAt } = openToken(deps, token)
  const isValid = expiresAt > deps.clock.now()
  const document = isValid ? await deps.composeFrame(accountId, request) : null
  if (document === null) throw new ServiceError('message_not_found')
  return { document, remoteImages: request.remoteImages }
}

function openToken(
  deps: FrameDeps,
  token: string,
): { accountId: AccountId; request: FrameRequest; expiresAt: number } {
  const [, account, inbox, message, remoteImages, expiresAt] = TOKEN.exec(opened(deps, token)) ?? []
  if (account === undefined) throw new ServiceError('message_not_found')
  return {
    // What `createFrame` encrypted.
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
    return deps.open(token)
  } catch {
    return ''
  }
}
