import assert from 'node:assert/strict'
import { afterEach, describe, it, type TestContext } from 'node:test'
import { dismissToast, holdToasts, releaseToasts, showInfo, toasts } from './toasts.ts'

const SHOWN_MS = 6_000

describe('notices', () => {
  afterEach(() => {
    for (const { id } of toasts.value) dismissToast(id)
  })

  const texts = () => toasts.value.map(({ text }) => text)

  function fakeTime(context: TestContext) {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    return (ms: number) => context.mock.timers.tick(ms)
  }

  it('end after some seconds, and say so once', (context) => {
    const pass = fakeTime(context)
    let ended = 0
    showInfo('Message deleted', null, () => {
      ended += 1
    })
    pass(SHOWN_MS - 1)
    assert.deepEqual([texts(), ended], [['Message deleted'], 0])
    pass(1)
    assert.deepEqual([texts(), ended], [[], 1])
    pass(SHOWN_MS)
    assert.equal(ended, 1)
  })

  it('stay while they are held, and have their whole time after that', (context) => {
    const pass = fakeTime(context)
    showInfo('one')
    pass(SHOWN_MS - 1)
    holdToasts()
    pass(10 * SHOWN_MS)
    assert.deepEqual(texts(), ['one'])
    releaseToasts()
    pass(SHOWN_MS - 1)
    assert.deepEqual(texts(), ['one'])
    pass(1)
    assert.deepEqual(texts(), [])
  })

  it('end when they are dismissed, and when newer ones need their place', (context) => {
    fakeTime(context)
    const ended: string[] = []
    const show = (text: string) => showInfo(text, null, () => ended.push(text))
    show('a')
    const dismiss = show('b')
    for (const text of ['c', 'd', 'e']) show(text)
    assert.deepEqual([texts(), ended], [['b', 'c', 'd', 'e'], ['a']])
    dismiss()
    dismiss()
    assert.deepEqual(
      [texts(), ended],
      [
        ['c', 'd', 'e'],
        ['a', 'b'],
      ],
    )
  })
})
