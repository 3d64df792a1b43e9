import { registerAccount } from '@mayfly/client'
import { createInternalClient, type InternalClient } from '@mayfly/client/internal'
import { type ApiClient, createApiClient } from './testing-api-client.ts'

/**
 * An account as a test reaches it: by the published client; and by plain calls (`get`, `post`,
 * `send` …) where the test is about a status, a header or a request that the client cannot write.
 */
export type TestAccount = InternalClient &
  Omit<ApiClient, 'key' | 'withKey'> & {
    readonly key: string
    /** The same service with another key. */
    withKey(key: string): TestAccount
  }

/** Calls with a key of an account of the service at `baseUrl`. */
export function accountWithKey(baseUrl: string, key: string): TestAccount {
  return {
    ...createApiClient(baseUrl, key),
    ...createInternalClient({ baseUrl, apiKey: key }),
    key,
    withKey: (other) => accountWithKey(baseUrl, other),
  }
}

/** Registers an account at the service at `baseUrl` and calls with its first key. */
export async function registerAccountAt(
  baseUrl: string,
  email = 'dev@example.com',
): Promise<TestAccount> {
  const { apiKey } = await registerAccount({ baseUrl, email })
  return accountWithKey(baseUrl, apiKey)
}
