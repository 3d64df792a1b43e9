import assert from 'node:assert/strict'
import { it } from 'node:test'
import { RenderedHtmlCache } from './rendered-html-cache.ts'

it('derived texts are computed once, and the least recently used are dropped', async () => {
  const texts = new RenderedHtmlCache(10)
  const computed: string[] = []
  const get = (key: string, length: number) =>
    texts.get(key, async () => {
      computed.push(key)
      return 'x'.repeat(length)
    })
  await get('a', 4)
  await get('b', 4)
  assert.equal((await get('a', 4)).length, 4)
  await get('c', 4)
  await get('a', 4)
  await get('b', 4)
  assert.deepEqual(computed, ['a', 'b', 'c', 'b'])
  assert.equal((await get('large', 11)).length, 11)
  await get('large', 11)
  assert.deepEqual(computed.slice(4), ['large', 'large'], 'a text above the bound is not kept')
})
