import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KnownPaths } from './unmatched.ts'

const paths = new KnownPaths()
for (const pattern of ['/v1/inboxes', '/v1/inboxes/:id', '/v1/inboxes/:id/wait', '/v1/account']) {
  paths.add(pattern, 'GET')
}

describe('a path that does not exist', () => {
  const cases: readonly (readonly [path: string, meant: string | null])[] = [
    ['/inboxes', '/v1/inboxes'],
    ['/v1/inbox', '/v1/inboxes'],
    ['/v1/inboxs/inb_1/wait?for=otp', '/v1/inboxes/inb_1/wait'],
    ['/v1/inboxes/inb_1/wiat', '/v1/inboxes/inb_1/wait'],
    ['/v1/accounting/for/everything', null],
    ['/favicon.ico', null],
    [`/v1/inboxe${'s'.repeat(100)}`, null],
  ]
  for (const [path, meant] of cases) {
    it(`${path.slice(0, 40)} ${meant === null ? 'is like no other' : `is like ${meant}`}`, () => {
      const { message } = paths.refusal(path)
      assert.equal(/Did you mean (\S+)\?$/.exec(message)?.[1] ?? null, meant)
    })
  }
})
