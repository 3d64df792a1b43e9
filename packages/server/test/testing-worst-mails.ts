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
]

function mail(fields: string, body: string): string {
  const isLong = body.length > 900 && !body.slice(0, 5_000).includes('\n')
  const encoded = isLong ? Buffer.from(body).toString('base64').replace(/.{76}/g, '$&\r\n') : body
  const encoding = isLong ? '\r\nContent-Transfer-Encoding: base64' : ''
  return `From: app@example.com\r\nMIME-Version: 1.0\r\n${fields}${encoding}\r\n\r\n${encoded}`
}

function fill(piece: string, chars: number): string {
  return piece.repeat(Math.ceil(chars / piece.length))
}

/** A value of a header in lines that SMTP takes, as long as a header may be. */
function folded(piece: string, chars: number): string {
  return fill(`${piece.repeat(Math.ceil(60 / piece.length))}\r\n `, Math.min(chars, 250_000))
}
