import type { ClientOptions } from '../src/index.ts'
import { createInternalClient, type InternalClient } from '../src/internal.ts'
import { type FakeHttp, type FakeResponse, startFakeHttp } from './testing-fake-http.ts'
import { FakeInbox } from './testing-fake-inbox.ts'

/** A small server that responds as the interface says, or as a test scripts it. */
export type FakeMayfly = FakeHttp & {
  readonly inbox: FakeInbox
  /** Answers given before the usual ones, one a call. */
  readonly script: FakeResponse[]
  connect(options?: ClientOptions): InternalClient
}

/** Starts the fake on a free port. */
export async function startFakeMayfly(): Promise<FakeMayfly> {
  const script: FakeResponse[] = []
  const inbox = new FakeInbox()
  const http = await startFakeHttp(
    async (call, gone) => script.shift() ?? inbox.respond(call, gone),
  )
  return {
    ...http,
    inbox,
    script,
    connect: (options) =>
      createInternalClient({ baseUrl: http.baseUrl, apiKey: 'mf_test_key', ...options }),
  }
}
