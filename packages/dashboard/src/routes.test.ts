import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hrefOf, parseRoute, type Route } from './routes.ts'

describe('addresses of the dashboard', () => {
  const routes: readonly Route[] = [
    { page: 'inboxes' },
    { page: 'inbox', inboxId: 'inb_1' },
    { page: 'details', inboxId: 'inb_1' },
    { page: 'message', inboxId: 'inb_1', messageId: 'msg_2', tab: null },
    { page: 'message', inboxId: 'inb_1', messageId: 'msg_2', tab: 'source' },
    { page: 'inbox', inboxId: 'inb_1', q: 'from:acme "a/b?c#d&e=f"' },
    { page: 'message', inboxId: 'inb_1', messageId: 'msg_2', tab: 'text', q: '100 %' },
    { page: 'search', q: '' },
    { page: 'search', q: 'subject:"your code" -is:read' },
    { page: 'message', inboxId: 'inb_1', messageId: 'msg_2', tab: null, q: 'ü', isFound: true },
    { page: 'webhooks' },
  ]
  for (const route of routes) {
    it(`lead back to ${hrefOf(route)}`, () => assert.deepEqual(parseRoute(hrefOf(route)), route))
  }

  for (const fragment of [
    '',
    '#',
    '#/nonsense',
    '#/inboxes',
    '#/inboxes//messages',
    '#/%E0%A4%A',
  ]) {
    it(`show the inboxes for "${fragment}"`, () =>
      assert.deepEqual(parseRoute(fragment), { page: 'inboxes' }))
  }
})
