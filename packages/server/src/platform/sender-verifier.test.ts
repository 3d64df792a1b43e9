import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { startDnsServer } from '../../test/testing-dns-server.ts'
import { createSenderVerifier } from './sender-verifier.ts'

const FACTS = {
  raw: Buffer.from('From: a@good.example\r\n\r\nHello\r\n'),
  remoteAddress: '127.0.0.1',
  helo: 'good.example',
  mailFrom: 'a@good.example',
}

/** A check of a sender whose name server is silent until the test lets it answer. */
async function startCheck(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const dns = await startDnsServer()
  t.after(() => dns[Symbol.asyncDispose]())
  dns.set('good.example', { fails: 'silence' })
  const verifier = createSenderVerifier([dns.address], 'mail.example')
  t.after(verifier.stop)
  return {
    checked: verifier.verify(FACTS),
    stop: verifier.stop,
    asked: async () => {
      while (!dns.questions.includes('TXT good.example')) await nextTurn()
    },
    answer: () => dns.set('good.example', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] }),
  }
}

it('counts the time for loading the checks to none of them', async (t) => {
  const check = await startCheck(t)
  t.mock.timers.tick(60_000)
  await check.asked()
  check.answer()
  assert.equal((await check.checked).spf.result, 'pass')
})

it('gives a temporary error to a check that takes 8 s', async (t) => {
  const check = await startCheck(t)
  await check.asked()
  t.mock.timers.tick(8_000)
  const { spf } = await check.checked
  assert.deepEqual([spf.result, spf.detail], ['temperror', 'DNS did not respond in time'])
})

it('rejects the checks that run when it is stopped', async (t) => {
  const check = await startCheck(t)
  await check.asked()
  check.stop()
  await assert.rejects(check.checked, { name: 'AbortError' })
})
