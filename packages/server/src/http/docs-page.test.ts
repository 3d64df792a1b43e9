import assert from 'node:assert/strict'
import { it } from 'node:test'
import fastify from 'fastify'
import { serveDocsPage } from './docs-page.ts'

it('serves the reference as a page with its own policy', async () => {
  await using http = fastify()
  serveDocsPage(http)
  const answer = await http.inject('/docs')

  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  const policy = String(answer.headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; connect-src 'self'; script-src 'sha256-[^']+';/)
  assert.match(answer.body, /^<!doctype html>/)
})
