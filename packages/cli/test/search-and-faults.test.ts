import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signedUp } from './testing-signed-up.ts'

describe('mayfly search', () => {
  it('finds messages of all inboxes, page by page', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    const addresses = [(await shell.run('inbox', 'new')).out, (await shell.run('inbox', 'new')).out]
    for (const [index, address] of addresses.entries()) {
      await service.sendMail({ to: address.trim(), subject: `Receipt ${index}` })
      await service.sendMail({ to: address.trim(), subject: 'Other' })
    }
    const json = await shell.run('search', 'subject:receipt -is:read', '--json')
    assert.equal(json.code, 0, json.err)
    const { messages } = JSON.parse(json.out)
    assert.deepEqual(
      messages.map(({ subject }: { subject: string }) => subject),
      ['Receipt 1', 'Receipt 0'],
    )
    for (const args of [
      ['subject:receipt', '-"receipt 0"', '-is:read', '--limit', '5'],
      ['-n', '5', '-other', '-subject:0'],
      ['-n5', '--', '-other', '-subject:0'],
    ]) {
      const negated = await shell.run('search', ...args)
      assert.deepEqual([negated.code, negated.out.match(/Receipt \d|Other/g)], [0, ['Receipt 1']])
    }
    const unknown = await shell.run('search', 'receipt', '--limt', '5')
    assert.match(unknown.err, /unknown option --limt\. Did you mean --limit\?/)
    const page = await shell.run('search', 'subject:receipt', '--limit', '1')
    assert.match(page.out, /^received \(UTC\) +from +subject +inbox +id\n\S+ \S+ .*Receipt 1 +inb_/)
    const [, cursor = ''] = /--cursor (\S+)/.exec(page.err) ?? []
    const next = await shell.run('search', 'subject:receipt', '--cursor', cursor)
    assert.match(next.out, /Receipt 0/)
    assert.doesNotMatch(next.out, /Receipt 1/)

    const none = await shell.run('search', 'hippopotamus')
    assert.deepEqual([none.code, none.out], [0, ''])
    assert.match(none.err, /^No message matches\.\n/)
    const wrong = await shell.run('search', 'larger:tall')
    assert.equal(wrong.code, 2)
    assert.match(wrong.err, /larger/)
    assert.equal((await shell.run('search')).code, 2)
  })
})

describe('mayfly faults', () => {
  it('lets an inbox refuse mail, shows what is left and ends it', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    const address = (await shell.run('inbox', 'new')).out.trim()
    const set = await shell.run('faults', 'set', '--code', '550', '--text', 'No', '--times', '2')
    assert.match(set.out, /^phase +reply +refuses\nrecipient +550 No +2\n/)
    assert.match(set.err, /^Until .* UTC\.\n$/)
    const [answer] = await service.sendMails([{ to: address }])
    assert.deepEqual(answer?.recipients, ['550 No'])
    const { rules } = JSON.parse((await shell.run('faults', 'show', address, '--json')).out)
    assert.deepEqual(rules[0]?.timesLeft, 1)
    assert.equal((await shell.run('faults', 'clear')).out, `${address} accepts mail again.\n`)
    assert.match((await shell.run('faults', 'show')).err, /has no fault rules/)
    await service.sendMail({ to: address })

    const auth = await shell.run('faults', 'set', '--phase', 'authentication', '--json')
    assert.equal(JSON.parse(auth.out).rules[0].phase, 'authentication')
    const wrong = await shell.run('faults', 'set', '--phase', 'auth')
    assert.equal(wrong.code, 2)
    assert.match(
      wrong.err,
      /--phase must be authentication, sender, recipient, data or api, but is "auth"/,
    )
  })
})
