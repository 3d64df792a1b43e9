import { type Client, type ClientOptions, createClient } from '../src/index.ts'
import { type FakeAnswer, type FakeHttp, startFakeHttp } from './testing-fake-http.ts'
import { FakeInbox } from './testing-fake-inbox.ts'

/** A small server that answers as the interface says, and as a test wants beyond that. */
export type FakeMayfly = FakeHttp & {
  readonly inbox: FakeInbox
  /** Answers given before the usual ones, one a call. */
  readonly script: FakeAnswer[]
  connect(options?: ClientOptions): Client
}

/** Starts the fake on a free port. */
export async function startFakeMayfly(): Promise<FakeMayfly> {
  const script: FakeAnswer[] = []
  const inbox = new FakeInbox()
  const http = await startFakeHttp(async (call, gone) => script.shift() ?? inbox.answer(call, gone))
  return {
    ...http,
    inbox,
    script,
    connect: (options) =>
      createClient({ baseUrl: http.baseUrl, apiKey: 'mf_test_key', ...options }),
  }
}
