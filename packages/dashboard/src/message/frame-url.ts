import type { Message } from '@mayfly/client'

/** Where the HTML of a message is shown from. */
export async function frameUrl(
  message: Message,
  options: { readonly remoteImages: boolean; readonly signal: AbortSignal },
): Promise<string> {
  options.signal.throwIfAborted()
  return `/frame/${message.id}`
}
