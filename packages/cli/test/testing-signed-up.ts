import assert from 'node:assert/strict'
import { startService, type TestService } from '../../server/test/testing-start-service.ts'
import { openShell, type Shell } from './testing-run-command.ts'

/** A running service and a person who signed up there. */
export type Place = AsyncDisposable & { readonly shell: Shell; readonly service: TestService }

/** How the place differs from the usual. */
export type PlaceOptions = {
  readonly isTerminal?: boolean
  /** Settings of the service. */
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a service and signs a person up. */
export async function signedUp({
  isTerminal = false,
  env = {},
}: PlaceOptions = {}): Promise<Place> {
  const service = await startService({ env })
  const shell = await openShell({ isTerminal })
  const { code, err } = await shell.run('signup', 'dev@example.com', '--url', service.httpUrl)
  assert.equal(code, 0, err)
  return {
    shell,
    service,
    [Symbol.asyncDispose]: async () => {
      await shell[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}
