// For the command line and the dashboard, which are released together with the client. Nothing
// here is versioned: each release may change or remove it. Import it nowhere else.

import {
  type Client,
  type ClientOptions,
  clientOf,
  createRequester,
  findBaseUrl,
  isLoopback,
  requesterOf,
  type ServiceOptions,
  startWaitOf,
} from './client.ts'
import type { CallOptions } from './connection.ts'
import { inboxPath } from './inbox-calls.ts'
import { type CreatedInbox, type CreateInboxOptions, createInbox } from './inboxes.ts'
import type { Key } from './keys.ts'
import { type MessageCalls, messageCalls } from './messages.ts'
import { readLocalKey as readKeyOf } from './node/local-key.ts'
import { callOptions } from './options.ts'

export type { AccountOverview, UsageDay } from './accounts.ts'
export type { SavedAssertion, SenderCheck } from './assertions.ts'
export type { DiagnosticEvent, Stage } from './diagnostics.ts'
export type { HeldWait } from './events/account-event.ts'
export type { Faults } from './faults.ts'
export type { Environment, IssuedKey, Role } from './keys.ts'
export type {
  Address,
  AuthVerdict,
  FoundMessage,
  Link,
  MessageCalls,
  MessagePage,
  OtpCandidate,
} from './messages.ts'
export { PROVIDERS, providerSettings } from './provider-settings.ts'

/** Information about the service. */
export type ServiceDescription = {
  readonly version: string
  /** Where it receives mail. */
  readonly smtp: { readonly host: string; readonly port: number }
  /** The catch-all inbox that is shown without a key; null where a key is needed. */
  readonly catchAllInboxId: string | null
  /** Whether external accounts can be connected. */
  readonly hasExternalAccounts: boolean
  /** The file with a key of the local account, on the machine of the service; null without one. */
  readonly localKeyFile: string | null
}

/** Which of the configured providers; by default the first. */
export type ConnectOptions = CallOptions & { readonly provider?: 'oidc' | 'github' }

/** The client, with calls that only our own programs need. */
export type InternalClient = Client & { readonly internal: InternalCalls }

/** Calls that only our own programs need. */
type InternalCalls = {
  /** The URL to open in a browser to connect an external account. Needs an admin key. */
  connectAccount(options?: ConnectOptions): Promise<{ readonly authorizationUrl: string }>
  /** Disconnects the external account. */
  disconnectAccount(options?: CallOptions): Promise<void>
  /** Creates an inbox; `replayed`: an earlier call with the same key had created it. */
  createInbox(options?: CreateInboxOptions): Promise<CreatedInbox>
  /** A link that opens the dashboard signed in to this account, once. Needs an admin key. */
  createSignInLink(
    options?: CallOptions,
  ): Promise<{ readonly url: string; readonly expiresAt: string }>
  /** The active keys, and the browsers that are signed in. */
  listKeys(
    options?: CallOptions,
  ): Promise<{ readonly keys: readonly Key[]; readonly sessions: readonly Key[] }>
  /** Sets how long the session of this client lasts from now. */
  changeSession(options: CallOptions & { readonly staySignedIn: boolean }): Promise<void>
  /** Ends the session of this client. */
  signOut(options?: CallOptions): Promise<void>
  /** The messages of an inbox whose id is known, without reading the inbox; sends nothing yet. */
  messages(inboxId: string): MessageCalls
}

/** Creates a client. Sends nothing yet. */
export function createInternalClient(options: ClientOptions = {}): InternalClient {
  const requester = requesterOf(options)
  const startWait = startWaitOf(options)
  const connection = '/v1/account/connection'
  return {
    ...clientOf(requester, startWait),
    internal: {
      connectAccount: ({ signal, ...body } = {}) =>
        requester.json({ method: 'POST', path: connection, body, signal }),
      disconnectAccount: async (options) =>
        requester.done({ method: 'DELETE', path: connection, ...callOptions(options) }),
      createInbox: (inbox) => createInbox(requester, startWait, inbox),
      createSignInLink: async (options) =>
        requester.json({ method: 'POST', path: '/v1/sign-in-links', ...callOptions(options) }),
      listKeys: ({ signal } = {}) => requester.json({ method: 'GET', path: '/v1/keys', signal }),
      changeSession: ({ signal, ...body }) =>
        requester.done({ method: 'PATCH', path: '/v1/sign-in', body, signal }),
      signOut: ({ signal } = {}) =>
        requester.done({ method: 'DELETE', path: '/v1/sign-in', signal }),
      messages: (inboxId) => messageCalls(requester, inboxPath(inboxId)),
    },
  }
}

/** Reads the service's version and where it receives mail; needs no key. */
export async function readService(
  options: ServiceOptions & CallOptions = {},
): Promise<ServiceDescription> {
  const { signal } = options
  const requester = createRequester(options, null)
  return requester.json({ method: 'GET', path: '/v1/service', signal })
}

/** The key of the local account of a service on this machine; null when there is none. */
export async function readLocalKey(
  options: ServiceOptions & CallOptions = {},
): Promise<string | null> {
  const { signal } = options
  const service = createRequester(options, null)
  if (!isLoopback(findBaseUrl(options))) return null
  return (await readKeyOf(service, { signal })).apiKey
}

/** Signs in without a key, to a service whose catch-all inbox everyone may read. */
export async function signInWithoutKey(
  options: ServiceOptions & CallOptions = {},
): Promise<{ readonly apiKey: string; readonly key: Key }> {
  const { signal } = options
  const requester = createRequester(options, null)
  return requester.json({ method: 'POST', path: '/v1/sign-in/catch-all', signal })
}

/** Exchanges the token of a sign-in link for a key, which is returned only here. */
export async function signIn(
  options: ServiceOptions & CallOptions & { readonly token: string },
): Promise<{ readonly apiKey: string; readonly key: Key }> {
  const { token, signal } = options
  const requester = createRequester(options, null)
  return requester.json({ method: 'POST', path: '/v1/sign-in', body: { token }, signal })
}
