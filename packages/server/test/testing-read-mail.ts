import type { ApiClient } from './testing-api-client.ts'

/** Twenty texts of 2,000 characters that almost match, the worst for a search. */
const TEXTS = Array.from(
  { length: 20 },
  (_, i) => `${'a'.repeat(1_000 + i)}b${'a'.repeat(999 - i)}`,
)

/** Every call that reads the content of the message, with the status that each must have. */
export function readingCalls(
  api: ApiClient,
  at: { readonly inboxId: string; readonly messageId: string },
): Readonly<Record<string, () => Promise<void>>> {
  const inbox = `/v1/inboxes/${at.inboxId}`
  const message = `${inbox}/messages/${at.messageId}`
  const get =
    (path: string, status = 200) =>
    async () => {
      const answer = await api.get(path)
      if (answer.status !== status) throw new Error(`${path}: ${answer.status}`)
    }
  return {
    read: get(message),
    'read with images': get(`${message}?remoteImages=allow`),
    wait: get(`${inbox}/wait?timeoutSeconds=0`),
    'wait for a text': get(
      `${inbox}/wait?timeoutSeconds=0&textContains=${'a'.repeat(250)}b${'a'.repeat(249)}`,
      408,
    ),
    list: get(`${inbox}/messages`),
    otp: get(`${message}/otp`),
    raw: get(`${message}/raw`),
    assert: async () => {
      const assertions = [
        ...TEXTS.slice(1).map((text) => ({ type: 'containsText', text })),
        { type: 'linkResponds', urlContains: TEXTS[0] },
      ]
      const answer = await api.post(`${inbox}/assert`, { assertions, timeoutSeconds: 0 })
      if (answer.status !== 200) throw new Error(`assert: ${answer.status}`)
    },
  }
}
