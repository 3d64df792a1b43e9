import assert from 'node:assert/strict'
import { it } from 'node:test'
import fastify from 'fastify'
import { endHookWith } from './hook-result.ts'

/** A server with one hook that ends with a result, and what it responds. */
async function respond(result: string | Promise<string>): Promise<string> {
  const seen: string[] = []
  const http = fastify()
  http.addHook('onRequest', (_request, _reply, done) =>
    endHookWith(done, result, (text) => {
      if (text === 'refused') throw new Error('over the limit')
      seen.push(text)
    }),
  )
  http.setErrorHandler((error, _request, reply) => reply.send(String(error)))
  http.get('/', async () => seen.join())
  return (await http.inject('/')).body
}

it('a hook goes on after its result is used, whether it was waited for or not', async () => {
  assert.equal(await respond('found'), 'found')
  assert.equal(await respond(Promise.resolve('found')), 'found')
})

it('a hook refuses with what is thrown, by the result or by its use', async () => {
  assert.equal(await respond('refused'), 'Error: over the limit')
  assert.equal(await respond(Promise.resolve('refused')), 'Error: over the limit')
  assert.equal(await respond(Promise.reject(new Error('no such key'))), 'Error: no such key')
})
