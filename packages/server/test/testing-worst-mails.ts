import { deflateRawSync, gzipSync } from 'node:zlib'
import {
  emptyBlocks,
  lateBomb,
  tarOf,
  zipNaming,
  zipSharing,
} from '../../mail/test/testing-archives.ts'

/** A mail that was made to be slow, at any size. */
export type WorstMail = { readonly name: string; readonly raw: (chars: number) => string }

const HTML_PIECES: Readonly<Record<string, string>> = {
  'open tags': '<b>',
  'open blocks': '<div>',
  'tables in tables': '<table><tr><td>',
  'unclosed cells': '<td>',
  'unclosed rows': '<tr>',
  'unclosed paragraphs': '<p>',
  'unclosed items': '<li>',
  'unclosed terms': '<dd>',
  'unclosed links': '<a>',
  'empty elements': '<b></b>',
  'line breaks': '<br>',
  'end tags alone': '</b>',
  'paragraph ends alone': '</p>',
  'less-than signs': '<',
  ampersands: '&',
  'named entities': '&lt;',
  'numeric entities': '&#x41;',
  'broken entities': '&amp',
  quotes: '"',
  'control characters': '\x01',
  'svg with styles': '<svg><style>',
  'svg in svg': '<svg>',
  'broken svg': '<svg><svg ',
  'math with items': '<math><mi>',
  'NUL in tag names': '<a\0b>',
  'long tag names': `<${'x'.repeat(500)}>`,
  'unclosed attribute': '<a href="',
  'many attributes': '<i a=1 b=2 c=3 d=4 e=5 f=6>',
  'attributes without values': '<p x x x x x x>',
  comments: '<!-- x -->',
  'unclosed comments': '<!--',
  declarations: '<!doctype x>',
  instructions: '<?x>',
  'CDATA sections': '<![CDATA[',
  'scripts without an end': '<script>',
  'style elements': '<style>p{color:red}</style>',
  'large style sheet': '<style>a b c d e f g>h{color:red}',
  'style attributes': '<p style="color:red;font:1px a;display:none">x',
  'parentheses in styles': '<p style="color:((((((((((((((((((">x',
  'selects with options': '<select><option>',
  'forms in forms': '<form>',
  'frames in frames': '<iframe>',
  'noscript in noscript': '<noscript>',
  objects: '<object>',
  images: '<img src=cid:x alt=y>',
  'data images': '<img src="data:image/png;base64,AAAA">',
  links: '<a href="https://a.example/">x</a>',
  fonts: '<font face="a" size=1 color=red>',
  'white space': ' \t',
  'non-breaking spaces': '&nbsp;',
  'digits in cells': '<td>1</td>',
  'zero-width characters': '&#8203;',
}

const TEXT_PIECES: Readonly<Record<string, string>> = {
  'text: one letter': 'a',
  'text: quotes': '"',
  'text: control characters': '\x01',
  'text: links': 'https://a.example/x ',
  'text: digits': '123456 ',
  'text: code words': 'code: 123456\n',
  'text: at signs': '@',
  'text: colons and slashes': '://',
  'text: parentheses': '(',
  'text: lines': '\r\n',
  'text: emoji': '\u{1f600}',
}

const ARCHIVES: Readonly<Record<string, Buffer>> = {
  'archives: one bomb named 200 times': zipNaming(lateBomb(), 200),
  'archives: a bomb that 50 files share': zipSharing(lateBomb(), 50),
  'archives: empty blocks that 50 files share': zipSharing(emptyBlocks(8_192), 50),
  'archives: text that 200 files share': zipSharing(
    deflateRawSync(
      Buffer.from(Array.from({ length: 2_000 }, (_, i) => (i * i).toString(36)).join(' ')),
    ),
    200,
  ),
  'archives: tars of zeros': gzipSync(
    Buffer.concat([tarOf([{ name: 'a', bytes: Buffer.from('a') }]), Buffer.alloc(2_000_000)]),
  ),
}

/** Mails whose reading took long at some time, or looks as if it could. */
export const WORST_MAILS: readonly WorstMail[] = [
  ...Object.entries(HTML_PIECES).map(([name, piece]) => ({
    name,
    raw: (chars: number) => mail('Content-Type: text/html; charset=utf-8', fill(piece, chars)),
  })),
  ...Object.entries(TEXT_PIECES).map(([name, piece]) => ({
    name,
    raw: (chars: number) => mail('Content-Type: text/plain; charset=utf-8', fill(piece, chars)),
  })),
  { name: 'header: long subject', raw: (chars) => mail(`Subject: ${folded('a', chars)}`, 'x') },
  {
    name: 'header: encoded words',
    raw: (chars) => mail(`Subject: ${folded('=?utf-8?q?a?= ', chars)}`, 'x'),
  },
  {
    name: 'header: many recipients',
    raw: (chars) => mail(`To: ${folded('a@b.example, ', chars)}`, 'x'),
  },
  {
    name: 'header: many fields',
    raw: (chars) => mail(fill('X-A: b\r\n', Math.min(chars, 250_000)).trimEnd(), 'x'),
  },
  {
    name: 'parts: boundaries',
    raw: (chars) =>
      mail('Content-Type: multipart/mixed; boundary=b', fill('--b\r\n\r\nx\r\n', chars)),
  },
  {
    name: 'parts: almost boundaries',
    raw: (chars) => mail('Content-Type: multipart/mixed; boundary=b', fill('--', chars)),
  },
  {
    name: 'parts: attachment in base64',
    raw: (chars) =>
      mail(
        'Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=a.bin',
        fill(`${'QUJD'.repeat(18)}\r\n`, chars),
      ),
  },
  {
    name: 'parts: HTML beside text',
    raw: (chars) =>
      parts(chars, (i, partChars) =>
        i === 0
          ? 'Content-Type: text/plain\r\n\r\nYour code is 123456.'
          : `Content-Type: text/html\r\n\r\n${fill('<b>', partChars)}`,
      ),
  },
  {
    name: 'parts: parameters in pieces',
    raw: (chars) =>
      parts(chars, (_, partChars) => {
        const pieces = Array.from({ length: partChars / 14 }, (_, i) => `a*${i}*=%41;\r\n `)
        return `Content-Type: text/plain; ${pieces.join('')}\r\n\r\nx`
      }),
  },
  {
    name: 'parts: multiparts in multiparts',
    raw: (chars) => {
      const opening = Array.from(
        { length: 19 },
        (_, i) => `--b${i}\r\nContent-Type: multipart/mixed; boundary=b${i + 1}\r\n\r\n`,
      )
      const body = `${opening.join('')}--b19\r\n\r\n${fill('\n', chars)}`
      return mail('Content-Type: multipart/mixed; boundary=b0', body)
    },
  },
  ...Object.entries(ARCHIVES).map(([name, archive]) => ({
    name,
    raw: (chars: number) => attached(archive, chars),
  })),
]

function mail(fields: string, body: string): string {
  const isLong = body.length > 900 && !body.slice(0, 5_000).includes('\n')
  const encoded = isLong ? Buffer.from(body).toString('base64').replace(/.{76}/g, '$&\r\n') : body
  const encoding = isLong ? '\r\nContent-Transfer-Encoding: base64' : ''
  return `From: app@example.com\r\nMIME-Version: 1.0\r\n${fields}${encoding}\r\n\r\n${encoded}`
}

/** 200 parts. */
function parts(chars: number, part: (index: number, chars: number) => string): string {
  const written = Array.from({ length: 200 }, (_, i) => `--b\r\n${part(i, chars / 200 - 50)}\r\n`)
  return mail('Content-Type: multipart/mixed; boundary=b', written.join(''))
}

/** As many copies of an archive as there is room for and as are read. */
function attached(archive: Buffer, chars: number): string {
  const encoded = archive.toString('base64').replace(/.{76}/g, '$&\r\n')
  const part = `--b\r\nContent-Type: application/zip\r\nContent-Disposition: attachment; filename=a.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n`
  const count = Math.max(1, Math.min(100, Math.floor(chars / part.length)))
  return mail('Content-Type: multipart/mixed; boundary=b', part.repeat(count))
}

function fill(piece: string, chars: number): string {
  return piece.repeat(Math.ceil(chars / piece.length))
}

/** A value of a header in lines that SMTP takes, as long as a header may be. */
function folded(piece: string, chars: number): string {
  return fill(`${piece.repeat(Math.ceil(60 / piece.length))}\r\n `, Math.min(chars, 250_000))
}
