import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import { first } from '../testing-first.ts'
import { sharedService } from '../testing-start-service.ts'

const PROGRAM = Buffer.from(`MZ${'\0'.repeat(200)}PE\0\0`, 'latin1')

/** A mail with a program as its attachment. */
const WITH_PROGRAM = multipart('inner', [
  'Content-Type: text/plain\r\n\r\nInner text. Your code is 481516. https://inner.example/confirm',
  `Content-Type: application/octet-stream; name=setup.exe\r\nContent-Disposition: attachment; filename=setup.exe\r\nContent-Transfer-Encoding: base64\r\n\r\n${PROGRAM.toString('base64')}`,
])

function multipart(boundary: string, parts: readonly string[]): string {
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')
  return `Subject: ${boundary}\r\nContent-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${body}--${boundary}--\r\n`
}

const forwarded = (mail: string, boundary: string) =>
  multipart(boundary, [
    'Content-Type: text/plain\r\n\r\nSee below.',
    `Content-Type: message/rfc822; name=forwarded.eml\r\nContent-Disposition: attachment; filename=forwarded.eml\r\n\r\n${mail}`,
  ])

/** A zip of one file, not compressed. */
function zipOf(name: string, content: Buffer): Buffer {
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(20, 4)
  local.writeUInt32LE(crc32(content), 14)
  local.writeUInt32LE(content.length, 18)
  local.writeUInt32LE(content.length, 22)
  local.writeUInt16LE(name.length, 26)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  local.copy(entry, 6, 4, 30)
  const end = Buffer.alloc(22)
  const start = local.length + name.length + content.length
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(entry.length + name.length, 12)
  end.writeUInt32LE(start, 16)
  return Buffer.concat([local, Buffer.from(name), content, entry, Buffer.from(name), end])
}

describe('a mail in a mail', { timeout: 120_000 }, () => {
  const shared = sharedService()

  async function receive(raw: string) {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, raw })
    const { id } = first((await inbox.listMessages()).messages)
    return inbox.readMessage(id)
  }

  const blocked = [
    'blocked',
    'It is a mail with an attachment that is blocked. Its content is a Windows program.',
  ]
  for (const [name, raw, expected = blocked] of [
    ['once', forwarded(WITH_PROGRAM, 'outer')],
    ['twice', forwarded(forwarded(WITH_PROGRAM, 'middle'), 'outer')],
    [
      'in base64',
      multipart('outer', [
        'Content-Type: text/plain\r\n\r\nSee below.',
        `Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(WITH_PROGRAM).toString('base64')}`,
      ]),
    ],
    [
      'as a file of another type',
      multipart('outer', [
        'Content-Type: text/plain\r\n\r\nSee below.',
        `Content-Type: application/octet-stream; name=forwarded.eml\r\nContent-Disposition: attachment; filename=forwarded.eml\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(WITH_PROGRAM).toString('base64')}`,
      ]),
    ],
    [
      'in a zip',
      multipart('outer', [
        'Content-Type: text/plain\r\n\r\nSee below.',
        `Content-Type: application/zip; name=a.zip\r\nContent-Disposition: attachment; filename=a.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${zipOf('a.eml', Buffer.from(forwarded(WITH_PROGRAM, 'middle'))).toString('base64')}`,
      ]),
      // Archives are opened one level deep.
      ['available', null],
    ],
  ] as const) {
    it(`gives neither its code nor its links, and its attachments are judged: ${name}`, async () => {
      const message = await receive(raw)
      assert.equal(message.text?.trim(), 'See below.')
      assert.deepEqual([message.otp, message.links], [null, []])
      const { status, reason } = first(message.attachments)
      assert.deepEqual([status, reason], expected)
    })
  }

  it('is blocked when it is nested too deeply to be checked', async () => {
    let raw = WITH_PROGRAM
    for (let depth = 0; depth < 100; depth += 1) raw = forwarded(raw, `b${depth}.`)
    const { attachments } = await receive(raw)
    assert.equal(attachments[0]?.status, 'blocked')
  })
})
