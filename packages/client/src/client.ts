import {
  type AccountCalls,
  accountCalls,
  type RegisterOptions,
  type Registration,
  registerWith,
} from './accounts.ts'
import { type DomainCalls, domainCalls } from './domains.ts'
import { readVariable } from './environment.ts'
import { MayflyError } from './errors.ts'
import { type InboxesCalls, inboxesCalls } from './inboxes.ts'
import { type KeyCalls, keyCalls } from './keys.ts'
import { Requester } from './request.ts'
import { type ScenarioCalls, scenarioCalls } from './scenarios.ts'
import { type WebhookCalls, webhookCalls } from './webhooks.ts'

/** Where the service is. */
export type ServiceOptions = {
  /** `MAYFLY_BASE_URL` of the environment when left out, then `http://127.0.0.1:8025`. */
  readonly baseUrl?: string | undefined
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** How a client is made; all is optional where the environment has the key. */
export type ClientOptions = ServiceOptions & {
  /** `MAYFLY_API_KEY` of the environment when left out. */
  readonly apiKey?: string | undefined
  /** How long waits last that do not say it themselves; 30 when left out. */
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
}

/** Where `mayfly serve` listens unless told otherwise. */
const BASE_URL = 'http://127.0.0.1:8025'

/** How long the service itself waits unless told otherwise. */
const TIMEOUT_SECONDS = 30

/** Makes a client. Nothing is sent yet. */
export function createClient(options: ClientOptions = {}): Client {
  const apiKey = options.apiKey ?? readVariable('MAYFLY_API_KEY')
  if (apiKey === undefined) {
    throw new MayflyError(
      'There is no API key. Pass `apiKey`, or set MAYFLY_API_KEY; `npx mayfly signup you@example.com` gets you one.',
    )
  }
  const requester = createRequester(options, apiKey)
  return {
    account: accountCalls(requester),
    domains: domainCalls(requester),
    inboxes: inboxesCalls(requester, options.timeoutSeconds ?? TIMEOUT_SECONDS),
    keys: keyCalls(requester),
    scenarios: scenarioCalls(requester),
    webhooks: webhookCalls(requester),
  }
}

/** Registers an account; needs no key, and answers with the first one. */
export function registerAccount(options: ServiceOptions & RegisterOptions): Promise<Registration> {
  return registerWith(createRequester(options, null), options)
}

function createRequester(options: ServiceOptions, apiKey: string | null): Requester {
  return new Requester({
    baseUrl: options.baseUrl ?? readVariable('MAYFLY_BASE_URL') ?? BASE_URL,
    apiKey,
    // Looked up at each call, so that a test may replace the global one later.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  })
}
