import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DnsUnavailable } from './dns-unavailable.ts'
import { createSystemAddresses } from './system-lookup.ts'

/** A system whose answers a test gives by hand. */
function manualSystem() {
  const asked = new Map<string, PromiseWithResolvers<{ address: string }[]>>()
  const lookup = (name: string) => {
    const answer = Promise.withResolvers<{ address: string }[]>()
    asked.set(name, answer)
    return answer.promise
  }
  return {
    lookup,
    asked: () => [...asked.keys()],
    answer: (name: string, address: string) => asked.get(name)?.resolve([{ address }]),
    fail: (name: string, code: string) =>
      asked.get(name)?.reject(Object.assign(new Error('no'), { code })),
  }
}

describe('look-ups by the system', () => {
  it('are two at a time, the next in the order of asking', async () => {
    const system = manualSystem()
    const addresses = createSystemAddresses(system.lookup, 60_000)
    const [one, two, three, four] = ['one', 'two', 'three', 'four'].map(addresses)
    assert.deepEqual(system.asked(), ['one', 'two'])

    system.answer('two', '192.0.2.2')
    assert.deepEqual(await two, ['192.0.2.2'])
    assert.deepEqual(system.asked(), ['one', 'two', 'three'])

    system.fail('one', 'EAI_AGAIN')
    await assert.rejects(Promise.resolve(one), new DnsUnavailable('EAI_AGAIN'))
    assert.deepEqual(system.asked(), ['one', 'two', 'three', 'four'])

    system.fail('three', 'ENOTFOUND')
    system.answer('four', '192.0.2.4')
    assert.deepEqual(await three, [])
    assert.deepEqual(await four, ['192.0.2.4'])
  })

  it('are shared by all who ask for the same name meanwhile', async () => {
    const system = manualSystem()
    const addresses = createSystemAddresses(system.lookup, 60_000)
    const same = ['one', 'one', 'one'].map(addresses)
    const other = addresses('two')
    assert.deepEqual(system.asked(), ['one', 'two'])
    system.answer('one', '192.0.2.1')
    for (const answer of same) assert.deepEqual(await answer, ['192.0.2.1'])
    system.answer('two', '192.0.2.2')
    assert.deepEqual(await other, ['192.0.2.2'])

    const again = addresses('one')
    system.answer('one', '192.0.2.9')
    assert.deepEqual(await again, ['192.0.2.9'])
  })

  it('are given up in time, running or waiting, and keep their thread until they end', async () => {
    const system = manualSystem()
    const addresses = createSystemAddresses(system.lookup, 20)
    const failure = new DnsUnavailable('ETIMEOUT')
    const running = ['one', 'two'].map(addresses)
    const waiting = addresses('three')
    for (const given of [...running, waiting]) await assert.rejects(given, failure)

    const later = addresses('four')
    assert.deepEqual(system.asked(), ['one', 'two'])
    system.answer('one', '192.0.2.1')
    await nextTurn()
    assert.deepEqual(system.asked(), ['one', 'two', 'four'])
    system.answer('four', '192.0.2.4')
    assert.deepEqual(await later, ['192.0.2.4'])
  })
})
