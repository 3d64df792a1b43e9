import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tagsOf } from './tags.ts'

const numbered = (start: number, count: number) =>
  Array.from({ length: count }, (_, i) => `t${start + i}`)

describe('the tags of a mail', () => {
  it('are those of its headers and addresses, each once and sorted', () => {
    const headers = [
      { name: 'X-Tags', value: 'b, a' },
      { name: 'x-tags', value: 'B,c' },
      { name: 'Subject', value: 'd' },
    ]
    assert.deepEqual(tagsOf(headers, ['ada+news@example.com']), ['a', 'b', 'c', 'news'])
  })

  it('have spaces for what Mailpit leaves out of them', () => {
    const headers = [{ name: 'X-Tags', value: 'a  99   b, c<d>, a@b.example, ü' }]
    assert.deepEqual(tagsOf(headers, []), ['a 99 b', 'a@b.example', 'c d'])
  })

  it('are read from the first thousand that headers have', () => {
    const many = { name: 'X-Tags', value: [...numbered(2_000, 1_000), 'a'].join(',') }
    const more = { name: 'X-Tags', value: 'b' }
    const tags = tagsOf([many, more], ['ada+c@example.com'])
    assert.equal(tags.length, 100)
    assert.deepEqual(tags.slice(0, 2), ['c', 't2000'])
  })
})
