import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MemoryWindows } from './memory-windows.ts'

const MINUTE_MS = 60_000
const WINDOWS_MAX = 100_000

describe('windows in memory', () => {
  const countMany = async (windows: MemoryWindows, names: string, now: number) => {
    for (let i = 0; i < WINDOWS_MAX - 1; i++) await windows.count(`${names}${i}`, MINUTE_MS, now)
  }
  const hour = async (windows: MemoryWindows, now: number) =>
    (await windows.count('hour', 60 * MINUTE_MS, now)).used

  it('are limited in number: the one that began first gives way', async () => {
    const windows = new MemoryWindows()
    assert.equal(await hour(windows, 0), 1)
    await countMany(windows, 'a', 1)
    assert.equal(await hour(windows, 2), 2)
    await windows.count('b', MINUTE_MS, 3)
    assert.equal(await hour(windows, 4), 1)
  })

  it('are deleted when they have ended', async () => {
    const windows = new MemoryWindows()
    assert.equal(await hour(windows, 0), 1)
    await countMany(windows, 'a', 0)
    await windows.deleteEnded(MINUTE_MS)
    // There is room for as many again.
    await countMany(windows, 'b', MINUTE_MS)
    assert.equal(await hour(windows, MINUTE_MS), 2)
  })
})
