import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import type { App } from '../../../app/api.ts'
import { maildevRoutes } from './maildev.ts'
import type { Access } from './request.ts'

describe("a list of MailDev's API", () => {
  it('has at most as many mails as an inbox keeps', async () => {
    const limits: number[] = []
    const view = async (_access: unknown, { limit }: { readonly limit: number }) => {
      limits.push(limit)
      return new TextEncoder().encode('[]')
    }
    // The list uses no other part of the service.
    const app = { compat: { maildev: { view } } } as unknown as App
    await using http = fastify()
    http.decorateRequest('access', { getter: () => ({ inboxIds: [] }) as unknown as Access }) // As above.
    maildevRoutes(http, app)
    for (const query of ['', '?limit=7', '?limit=999999999']) {
      assert.equal((await http.inject(`/email${query}`)).statusCode, 200)
    }
    assert.deepEqual(limits, [1_000, 7, 1_000])
  })
})
