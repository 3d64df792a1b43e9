import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { tarEntry, tarOf, zipOf } from '../../test/testing-archives.ts'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { judgeAttachments } from './verdict.ts'

const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}', '$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

interface Given {
  readonly name?: string
  readonly type?: string
  readonly bytes?: Buffer | string
}

function judge({ name = 'file.dat', type = 'application/octet-stream', bytes = 'text' }: Given) {
  const content = Buffer.from(bytes)
  const [verdict] = judgeAttachments([{ filename: name, contentType: type, bytes: content }])
  assert.ok(verdict !== undefined)
  return verdict
}

const dos = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(100)])
const ole = (classId: string, extra = ''): Buffer => {
  const file = Buffer.alloc(2_048)
  file.write('d0cf11e0a1b11ae1', 'hex')
  file.writeUInt16LE(9, 30)
  file.writeUInt32LE(1, 48)
  file.write(classId, 1_024 + 80, 'hex')
  file.write(extra, 1_500, 'utf16le')
  return file
}

describe('blocked by content', () => {
  const contents: readonly (readonly [name: string, bytes: Buffer | string])[] = [
    ['a Windows program', dos],
    ['a Linux program', Buffer.from('7f454c4602010100', 'hex')],
    ['a macOS program', Buffer.from('cffaedfe07000001', 'hex')],
    ['a Java class', Buffer.from('cafebabe00000034', 'hex')],
    ['an Android program', 'dex\n035\0'],
    ['a shortcut', Buffer.from('4c0000000114020000000000', 'hex')],
    ['a shell script', '#!/bin/sh\nrm -rf /\n'],
    ['a script with a space', '#! /usr/bin/env python3\n'],
    ['a script after a byte order mark', '\ufeff#!/bin/bash\n'],
    ['a batch file', '@echo off\r\ndel *\r\n'],
    ['PHP', '<?php system($_GET[0]);'],
    ['an HTML application', '<html><HTA:APPLICATION id=x><script>'],
    ['an internet shortcut', '[InternetShortcut]\r\nURL=file://x\r\n'],
    ['an installer', ole('84100c0000000000c000000000000046')],
    ['a document with macros', ole('', '_VBA_PROJECT')],
    ['a Debian package', '!<arch>\ndebian-binary   1'],
    ['a zip of a program by content', zipOf([{ name: 'data', bytes: dos }])],
    ['a zip of a compressed program', zipOf([{ name: 'data', bytes: dos, isDeflated: true }])],
    ['a tar of a program', tarOf([{ name: 'data', bytes: dos }])],
    ['a gzip of a program', gzipSync(dos)],
  ]
  for (const [name, bytes] of contents) {
    it(name, () => assert.equal(judge({ name: 'harmless.pdf', bytes }).status, 'blocked'))
  }
})

describe('blocked by name', () => {
  const names: readonly string[] = [
    ...[
      'a.exe',
      'A.EXE',
      'invoice.pdf.exe',
      'a.exe.',
      'a.exe  ',
      'a.exe. . ',
      'a.scr',
      'a.js',
      'a.vbs',
    ],
    ...[
      'a.ps1',
      'a.bat',
      'a.cmd',
      'a.com',
      'a.msi',
      'a.jar',
      'a.lnk',
      'a.hta',
      'a.sh',
      'a.py',
      'a.apk',
    ],
    ...['a.docm', 'a.xlsm', 'a.e\u200bxe', 'a.exe\u202c', 'photo\u202egpj.exe', 'ann\u202efdp.txt'],
    ...[
      'a.ｅｘｅ',
      'a.exe::$DATA',
      'a.exe\u0000',
      'a.dll',
      'a.wsf',
      'a.iso.exe',
      '.exe',
      'run.js.gz',
    ],
  ]
  for (const name of names) {
    it(JSON.stringify(name), () => assert.equal(judge({ name }).status, 'blocked'))
  }
})

describe('blocked by declared type', () => {
  const types: readonly string[] = [
    ...[
      'application/x-msdownload',
      'application/javascript',
      'text/javascript',
      'application/x-sh',
    ],
    ...[
      'application/java-archive',
      'application/hta',
      'Application/X-MSDOS-Program',
      'text/vbscript',
    ],
  ]
  for (const type of types) {
    it(type, () => assert.equal(judge({ name: 'a.txt', type }).status, 'blocked'))
  }
})

describe('archives', () => {
  const plain = { name: 'readme.txt', bytes: Buffer.from('hi') }
  const program = { name: 'setup.exe', bytes: Buffer.from('x') }
  const hiddenProgram = { name: 'notes.txt', bytes: Buffer.concat([dos, randomBytes(50_000)]) }
  const shellScript = { name: 'data', bytes: Buffer.from('#!/bin/sh\necho') }
  const large = { name: 'photo.jpg', bytes: randomBytes(300_000) }
  const longName = `${'a'.repeat(110)}.js`
  const text = { name: 'book.txt', bytes: Buffer.from('Once upon a time. '.repeat(20_000)) }
  const blocked: readonly (readonly [name: string, bytes: Buffer])[] = [
    ['a program by name', zipOf([plain, program])],
    [
      'a compressed program under a harmless name',
      zipOf([
        { name: 'notes.txt', bytes: Buffer.concat([dos, randomBytes(50_000)]), isDeflated: true },
      ]),
    ],
    [
      'a streamed program that the directory hides',
      zipOf([plain, { ...hiddenProgram, isDeflated: true, isStreamed: true }], { listed: [plain] }),
    ],
    [
      'a stored, streamed program that the directory hides',
      zipOf([plain, { ...hiddenProgram, isStreamed: true }], { listed: [plain] }),
    ],
    ['a program whose size in the directory is wrong', withListedSizes(zipOf([hiddenProgram]), 1)],
    ['an encrypted program by name', zipOf([{ ...program, isEncrypted: true }])],
    ['a directory that hides an entry', zipOf([plain, program], { listed: [plain] })],
    ['no directory at all', zipOf([plain, program]).subarray(0, 100)],
    ['a directory behind a comment', Buffer.concat([zipOf([program]), Buffer.from('junk')])],
    [
      'a Java archive',
      zipOf([
        { name: 'META-INF/MANIFEST.MF', bytes: plain.bytes },
        { name: 'A.class', bytes: plain.bytes },
      ]),
    ],
    ['a document with macros', zipOf([{ name: 'word/vbaProject.bin', bytes: plain.bytes }])],
    ['a tar', tarOf([plain, { ...program, name: 'bin/run.sh' }])],
    ['a named gzip', gzipNamed('tool.exe', Buffer.from('x'))],
    ['a tar in a gzip', gzipSync(tarOf([program]))],
    ['a gzipped program', gzipSync(hiddenProgram.bytes)],
    [
      'a gzipped program padded with zeros',
      gzipSync(Buffer.concat([dos, Buffer.alloc(5_000_000)])),
    ],
    ['a program behind other files of a tar in a gzip', gzipSync(tarOf([large, hiddenProgram]))],
    ['a script behind a text in a tar in a gzip', gzipSync(tarOf([text, shellScript]))],
    ['a program behind other bytes', Buffer.concat([Buffer.alloc(64, 'x'), zipOf([program])])],
    [
      'a program under a harmless name behind many other bytes',
      Buffer.concat([randomBytes(200_000), zipOf([{ ...hiddenProgram, isDeflated: true }])]),
    ],
    ['a program behind 3,000 files', zipOf([...files(3_000), program])],
    ['a script by its Unicode name', zipOf([{ ...plain, unicodeName: 'readme.js' }])],
    ['a script with a long name', zipOf([{ ...plain, name: `${'a'.repeat(1_100)}.js` }])],
    ['a script whose name ends at a NUL for some', zipOf([{ ...plain, name: 'run.js\0.txt' }])],
    ['a directory behind another end record', withSecondEnd(zipOf([program]))],
    [
      'a script in a tar by its long name of GNU',
      Buffer.concat([
        tarEntry({ name: '././@LongLink', type: 'L', bytes: Buffer.from(`${longName}\0`) }),
        tarEntry({ name: longName.slice(0, 100), bytes: plain.bytes }),
      ]),
    ],
    [
      'a script in a tar by its path of pax',
      Buffer.concat([
        tarEntry({ name: 'PaxHeaders/a', type: 'x', bytes: paxRecord('path', longName) }),
        tarEntry({ name: longName.slice(0, 100), bytes: plain.bytes, mark: 'ustar' }),
      ]),
    ],
    [
      'a tar whose pax header corrects a size',
      Buffer.concat([
        tarEntry({ name: 'PaxHeaders/a', type: 'x', bytes: paxRecord('size', '0') }),
        tarEntry({ name: 'a.txt', bytes: Buffer.alloc(2_000) }).subarray(0, 512),
        tarEntry({ name: 'run.js', bytes: plain.bytes }),
      ]),
    ],
    ['a tar of the oldest form', tarEntry({ name: 'run.js', bytes: plain.bytes })],
    [
      'a tar behind a block that GNU tar skips',
      Buffer.concat([Buffer.alloc(512, 'x'), tarEntry({ name: 'run.js', bytes: plain.bytes })]),
    ],
    [
      'a tar with a zip in it',
      tarOf([
        { name: 'a.zip', bytes: zipOf([plain]) },
        { ...program, name: 'run.sh' },
      ]),
    ],
    ['a program in the second member of a gzip', Buffer.concat([gzipSync(''), gzipSync(dos)])],
    [
      'a tar in two members of a gzip',
      Buffer.concat([
        gzipSync(tarEntry({ name: 'a.txt', bytes: text.bytes })),
        gzipSync(tarEntry({ name: 'run.js', bytes: plain.bytes })),
      ]),
    ],
  ]
  for (const [name, bytes] of blocked) {
    it(`are blocked for ${name}`, () => {
      assert.equal(judge({ name: 'files.zip', bytes }).status, 'blocked')
    })
  }

  const available: readonly (readonly [name: string, bytes: Buffer])[] = [
    ['files', zipOf([plain, { name: 'data/table.csv', bytes: plain.bytes, isDeflated: true }])],
    [
      'an archive in an archive',
      zipOf([{ name: 'inner.zip', bytes: zipOf([program]), isDeflated: true }]),
    ],
    ['nothing', zipOf([])],
    ['an encrypted file', zipOf([{ ...plain, isEncrypted: true }])],
    ['a broken zip', Buffer.from('PK\x03\x04 and then nothing of the kind')],
    ['a gzip', gzipSync('text')],
    ['a broken gzip', Buffer.from('1f8b08ff0000000000ff000000000000000000', 'hex')],
    ['a tar of files', tarOf([plain])],
    ['many files', zipOf(files(10_000))],
    ['a size below zero', tarWithSize(tarOf([plain]), '-7777777777')],
    [
      'a large tar in a gzip',
      gzipSync(tarOf([large, { ...large, bytes: randomBytes(2_000_000) }])),
    ],
  ]
  for (const [name, bytes] of available) {
    it(`are available with ${name}`, () => {
      assert.deepEqual(judge({ name: 'files.zip', bytes }), { status: 'available', reason: null })
    })
  }
})

describe('archives that are too large to be checked', () => {
  const large: readonly (readonly [name: string, bytes: Buffer])[] = [
    ['a tar of 20 MB in a gzip', gzipSync(tarOf([{ name: 'a', bytes: Buffer.alloc(20_000_000) }]))],
    ['a zip of zeros', zipOf(files(3_000, Buffer.alloc(5_000)))],
    ['an endless name', tarEntry({ name: 'a', type: 'L', bytes: Buffer.alloc(100_000, 'a') })],
  ]
  for (const [name, bytes] of large) {
    it(`are blocked, as ${name}`, () => {
      assert.deepEqual(judge({ name: 'a.zip', bytes }), {
        status: 'blocked',
        reason: 'It is an archive that is too large to be checked.',
      })
    })
  }
})

describe('available', () => {
  const given: readonly Given[] = [
    { name: 'report.pdf', type: 'application/pdf', bytes: '%PDF-1.7' },
    { name: 'photo.jpg', type: 'image/jpeg', bytes: Buffer.from('ffd8ffe000104a464946', 'hex') },
    {
      name: 'MZ.txt',
      type: 'text/plain',
      bytes: 'MZ is the start of many words, but of no program here.',
    },
    { name: 'notes.md', type: 'text/markdown', bytes: '# Heading\n#!not a script' },
    { name: 'page.html', type: 'text/html', bytes: '<p>Hello</p>' },
    { name: 'exe', bytes: '' },
    { name: 'setup.exe.txt' },
    { name: 'old.doc', type: 'application/msword', bytes: ole('0609020000000000c000000000000046') },
    { name: 'data.bin' },
  ]
  for (const one of given) {
    it(String(one.name), () => assert.deepEqual(judge(one), { status: 'available', reason: null }))
  }
})

describe('the EICAR test file', () => {
  const found: readonly (readonly [name: string, bytes: Buffer | string])[] = [
    ['alone', EICAR],
    ['with white space behind', `${EICAR} \t\r\n\x1a`],
    ['in a zip', zipOf([{ name: 'eicar.com', bytes: Buffer.from(EICAR) }])],
    ['compressed in a zip', zipOf([{ name: 'e', bytes: Buffer.from(EICAR), isDeflated: true }])],
    ['in a tar', tarOf([{ name: 'eicar.com', bytes: Buffer.from(EICAR) }])],
  ]
  for (const [name, bytes] of found) {
    it(`is quarantined ${name}, under whatever name`, () => {
      assert.equal(judge({ name: 'eicar.com', bytes }).status, 'quarantined')
    })
  }

  const missed: readonly (readonly [name: string, bytes: string])[] = [
    ['in the middle', `Look: ${EICAR}`],
    ['with text behind', `${EICAR} is a string`],
    ['longer than the definition allows', `${EICAR}${' '.repeat(61)}`],
    ['cut', EICAR.slice(0, -1)],
  ]
  for (const [name, bytes] of missed) {
    it(`is not seen ${name}`, () => assert.equal(judge({ bytes }).status, 'available'))
  }
})

describe('hostile files', () => {
  it('are judged whatever their bytes', () => {
    const magic = fc.constantFrom('504b0304', '504b0506', '1f8b08', 'd0cf11e0a1b11ae1', '4d5a', '')
    fc.assert(
      fc.property(magic, fc.uint8Array({ maxLength: 2_000 }), (head, rest) => {
        const bytes = Buffer.concat([Buffer.from(head, 'hex'), rest])
        assert.ok(['available', 'blocked'].includes(judge({ bytes }).status))
      }),
    )
  })

  it('are judged however a zip is damaged', () => {
    const sound = zipOf([
      { name: 'a.txt', bytes: dos, isDeflated: true },
      { name: 'b.txt', bytes: dos },
    ])
    const change = fc.tuple(fc.nat({ max: sound.length - 1 }), fc.nat({ max: 255 }))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const bytes = Buffer.from(sound)
        for (const [at, value] of changes) bytes[at] = value
        assert.ok(['available', 'blocked'].includes(judge({ bytes }).status))
      }),
    )
  })

  it('cost little when they are decompression bombs', () => {
    const plainText = Buffer.from('hi')
    const bomb = gzipSync(
      Buffer.concat([tarOf([{ name: 'a', bytes: plainText }]), Buffer.alloc(20_000_000)]),
    )
    const elapsedMs = workedMs(() => {
      for (let i = 0; i < 10; i += 1) judge({ bytes: bomb })
    })
    assert.ok(elapsedMs < 5_000)
  })

  it('are judged in linear time', () => {
    const elapsedMs = workedMs(() => {
      for (const piece of [
        'PK\x03\x04',
        'PK\x03\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\0\0',
      ]) {
        judge({ bytes: Buffer.from(piece.repeat(Math.ceil(2_000_000 / piece.length)), 'latin1') })
      }
      judge({
        name: `${'.'.repeat(100_000)}x`,
        bytes: zipOf([{ name: '.'.repeat(60_000), bytes: dos }]),
      })
    })
    assert.ok(elapsedMs < 5_000)
  })
})

function files(count: number, bytes = Buffer.from('text')) {
  return Array.from({ length: count }, (_, i) => ({ name: `${i}.txt`, bytes, isDeflated: true }))
}

/** The zip with a second end record, of an empty directory, in the comment of the first. */
function withSecondEnd(zip: Buffer): Buffer {
  const withComment = Buffer.from(zip)
  withComment.writeUInt16LE(22, zip.length - 2)
  return Buffer.concat([withComment, zipOf([])])
}

function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`
  const length = rest.length + String(rest.length).length
  return Buffer.from(`${length}${rest}`)
}

function tarWithSize(tar: Buffer, size: string): Buffer {
  const changed = Buffer.from(tar)
  changed.write(size.padEnd(12, '\0'), 124)
  return changed
}

/** The zip with another packed size in each entry of its directory. */
function withListedSizes(zip: Buffer, packedBytes: number): Buffer {
  const changed = Buffer.from(zip)
  const mark = Buffer.from('PK\x01\x02', 'latin1')
  for (let at = changed.indexOf(mark); at >= 0; at = changed.indexOf(mark, at + 4)) {
    changed.writeUInt32LE(packedBytes, at + 20)
  }
  return changed
}

function gzipNamed(name: string, bytes: Buffer): Buffer {
  const plain = gzipSync(bytes)
  const header = Buffer.from(plain.subarray(0, 10))
  header[3] = 8
  return Buffer.concat([header, Buffer.from(`${name}\0`), plain.subarray(10)])
}
