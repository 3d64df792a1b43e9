import {
  type AccountCalls,
  accountCalls,
  REGISTER,
  type RegisterOptions,
  type Registration,
} from './accounts.ts'
import { type DomainCalls, domainCalls } from './domains.ts'
import { readVariable } from './environment.ts'
import { MayflyError } from './errors.ts'
import type { AccountEvent, EventsOptions } from './events/account-event.ts'
import type { StartWait } from './inbox.ts'
import { type InboxesCalls, inboxesCalls } from './inboxes.ts'
import { type KeyCalls, keyCalls } from './keys.ts'
import type { FoundMessage, ListMessagesOptions, SearchPage } from './messages.ts'
import { checkOptions, type OptionKinds } from './options.ts'
import { type Pages, pages } from './pages.ts'
import { Requester } from './request.ts'
import { type ScenarioCalls, scenarioCalls } from './scenarios.ts'
import { type WebhookCalls, webhookCalls } from './webhooks.ts'

/** Where the service is. */
export type ServiceOptions = {
  /** Default: the environment variable `MAYFLY_BASE_URL`, then `http://127.0.0.1:8025`. */
  readonly baseUrl?: string | undefined
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** Options of a client; all are optional. */
export type ClientOptions = ServiceOptions & {
  /**
   * Default: the environment variable `MAYFLY_API_KEY`; in Node then the key of the local account
   * of a service on this machine.
   */
  readonly apiKey?: string | undefined
  /** Default timeout of waits; 30 unless set. */
  readonly timeoutSeconds?: number | undefined
}

/** The whole interface of the service. */
export type Client = {
  readonly account: AccountCalls
  readonly domains: DomainCalls
  readonly inboxes: InboxesCalls
  readonly keys: KeyCalls
  readonly scenarios: ScenarioCalls
  readonly webhooks: WebhookCalls
  /** Searches the messages of all inboxes: `from:acme subject:"your code" -has:attachment`. */
  search(q: string, options?: SearchOptions): Pages<SearchPage, FoundMessage>
  /** The events of the account as they happen; a lost connection is opened again. */
  events(options?: EventsOptions): AsyncGenerator<AccountEvent, void>
}

/** Which part of a search is read. */
type SearchOptions = Pick<ListMessagesOptions, 'limit' | 'cursor' | 'signal'>

const SERVICE = {
  baseUrl: 'text',
  fetch: 'function',
} as const satisfies OptionKinds<ServiceOptions>

const CLIENT = {
  ...SERVICE,
  ...{ apiKey: 'text', timeoutSeconds: 'number' },
} as const satisfies OptionKinds<ClientOptions>

/** What `startMayfly` returns besides: it is taken as it is. */
const STARTED = ['smtp', 'stop']

/** Where `mayfly serve` listens by default. */
const BASE_URL = 'http://127.0.0.1:8025'

/** The service's own default. */
const TIMEOUT_SECONDS = 30

/** Creates a client. Sends nothing yet. */
export function createClient(options: ClientOptions = {}): Client {
  return clientOf(requesterOf(options), startWaitOf(options))
}

/** Waits as long as their own options say, or those of the client. */
export function startWaitOf({ timeoutSeconds = TIMEOUT_SECONDS }: ClientOptions): StartWait {
  return (given, wait) =>
    wait({ timeoutSeconds: given.timeoutSeconds ?? timeoutSeconds, signal: given.signal })
}

/** Throws for options that a client does not have. */
export function checkClientOptions(options: ClientOptions): void {
  checkOptions(options, CLIENT, STARTED)
}

/** Sends calls with the key of the options, or with that of the local account. */
export function requesterOf(options: ClientOptions): Requester {
  checkClientOptions(options)
  const apiKey = givenKey(options)
  if (apiKey !== null) return createRequester(options, apiKey)
  // A service on another machine has no local key, a browser and Node before 20.16 cannot read it.
  const canRead = globalThis.process?.getBuiltinModule !== undefined
  if (!canRead || !isLoopback(findBaseUrl(options))) throw new MayflyError(NO_KEY)
  const service = createRequester(options, null)
  return createRequester(options, async () =>
    (await import('./node/local-key.ts')).findLocalKey(service, NO_KEY),
  )
}

/** The client of a requester. A test runner limits the waits of its tests. */
export function clientOf(requester: Requester, startWait: StartWait): Client {
  return {
    account: accountCalls(requester),
    domains: domainCalls(requester),
    inboxes: inboxesCalls(requester, startWait),
    keys: keyCalls(requester),
    scenarios: scenarioCalls(requester),
    webhooks: webhookCalls(requester),
    search: (q, { signal, ...query } = {}) =>
      pages(
        { q, ...query },
        (of) =>
          requester.json<SearchPage>({ method: 'GET', path: '/v1/search', query: of, signal }),
        ({ messages }) => messages,
      ),
    // Loaded when it is used: most tests follow no events.
    async *events(options) {
      yield* (await import('./events/follow.ts')).follow(requester, options)
    },
  }
}

/** Registers an account; needs no key and returns the first one. */
export async function registerAccount(
  options: ServiceOptions & RegisterOptions,
): Promise<Registration> {
  checkOptions(options, { ...SERVICE, ...REGISTER })
  const { email, name, signal } = options
  const requester = createRequester(options, null)
  return requester.json({ method: 'POST', path: '/v1/accounts', body: { email, name }, signal })
}

const NO_KEY =
  'There is no API key. Pass `apiKey` or set MAYFLY_API_KEY; `npx mayfly signup you@example.com` creates one.'

/** The key, without the newline that a file with a key ends with; null when none is given. */
function givenKey(options: ClientOptions): string | null {
  const apiKey = (options.apiKey ?? readVariable('MAYFLY_API_KEY') ?? '').trim()
  // The text itself is not quoted: it may be a key, and errors are logged.
  if (/^[!-~]*$/.test(apiKey)) return apiKey || null
  throw new MayflyError(
    'apiKey is not an API key: no key has a space or "…" in it. Pass the whole key.',
  )
}

/** Whether a URL means this machine: only a service on it may name a file to read. */
export function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname)
}

/** The URL of the options, of the environment, or the default. */
export function findBaseUrl(options: ServiceOptions): string {
  const baseUrl = (options.baseUrl ?? readVariable('MAYFLY_BASE_URL') ?? BASE_URL).trim()
  if (/^https?:/i.test(baseUrl) && URL.canParse(baseUrl)) return baseUrl
  throw new MayflyError(`"${baseUrl}" is not the URL of a service, such as ${BASE_URL}.`)
}

/** Sends calls with a key, without one, or with one that is looked for before the first call. */
export function createRequester(
  options: ServiceOptions,
  apiKey: string | null | (() => Promise<string>),
): Requester {
  const connection = {
    baseUrl: findBaseUrl(options),
    // Looked up at each call: a test may replace the global one later.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  }
  return new Requester(connection, apiKey)
}
