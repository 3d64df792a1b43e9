/**
 * Names by code point: HTML 4's whole list and those of HTML 5 that mail and obfuscation use.
 *
 * A run of names counts upwards from the code point in front of it.
 */
const NAMED = `160 nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg
macr deg plusmn
sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave
Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN
szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute
icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml
yacute thorn yuml 9 Tab NewLine 33 excl quot num dollar percnt amp apos lpar rpar ast plus comma
46 period sol 58 colon semi lt equals gt quest commat 91 lsqb bsol rsqb Hat lowbar grave 123
lbrace vert rbrace 338 OElig oelig 352 Scaron scaron 376 Yuml 402 fnof 710 circ 732 tilde 913
Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho 931
Sigma Tau Upsilon Phi Chi Psi Omega 945 alpha beta gamma delta epsilon zeta eta theta iota kappa
lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega 977 thetasym upsih 982
piv 8194 ensp emsp 8199 numsp puncsp thinsp hairsp 8203 ZeroWidthSpace zwnj zwj lrm rlm hyphen
8211 ndash mdash horbar 8216 lsquo rsquo sbquo 8220 ldquo rdquo bdquo 8224 dagger Dagger bull
8230 hellip 8240 permil 8242 prime Prime 8249 lsaquo rsaquo 8254 oline 8260 frasl 8288 NoBreak
8364 euro 8465 image 8472 weierp 8476 real 8482 trade 8501 alefsym 8592 larr uarr rarr darr harr
8629 crarr 8656 lArr uArr rArr dArr hArr 8704 forall 8706 part exist 8709 empty 8711 nabla isin
notin 8715 ni 8719 prod 8721 sum minus 8727 lowast 8730 radic 8733 prop infin 8736 ang 8743 and
or cap cup int 8756 there4 8764 sim 8773 cong 8776 asymp 8800 ne equiv 8804 le ge 8834 sub sup
nsub 8838 sube supe 8853 oplus 8855 otimes 8869 perp 8901 sdot 8968 lceil rceil lfloor rfloor
10216 lang rang 9633 squ 9674 loz 9733 starf star 9824 spades 9827 clubs 9829 hearts diams 10003
check 10007 cross 38 AMP 60 LT 62 GT 34 QUOT 169 COPY 174 REG`

/** What browsers show for the numbers 128 to 159, which are windows-1252 and not controls. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const NAMES = readNames(NAMED)

/** Longest name that packs into a small integer: six bits tell letters of either case apart. */
const SHORT_CHARS_MAX = 5

/** The short names, nearly all that mails use, by number: hashing a fresh string takes longer. */
const SHORT_NAMES: ReadonlyMap<number, string> = new Map(
  [...NAMES]
    .filter(([name]) => name.length <= SHORT_CHARS_MAX && /^[a-z]+$/i.test(name))
    .map(([name, text]) => [
      [...name].reduce((packed, letter) => (packed << 6) | (letter.charCodeAt(0) & 63), 0),
      text,
    ]),
)

/** Names that browsers also take without their semicolon: those of Latin-1, `&amp` and kin. */
const LEGACY = new Set([
  ...[...NAMES].filter(([, text]) => text >= '\u00a0' && text <= '\u00ff').map(([name]) => name),
  ...['amp', 'lt', 'gt', 'quot', 'AMP', 'LT', 'GT', 'QUOT', 'COPY', 'REG'],
])

/** Longest name of the table; a `&` that is followed by no semicolon so near is a plain `&`. */
const NAME_CHARS_MAX = 16

const SEMICOLON = 59

/**
 * The text with its character references replaced, as a browser reads them.
 *
 * In an attribute `&copy=1` stays as it is: query strings are full of such names.
 */
export function decodeEntities(text: string, inAttribute = false): string {
  let at = text.indexOf('&')
  if (at < 0) return text
  let decoded = ''
  let done = 0
  while (at >= 0) {
    const isNumber = text.charCodeAt(at + 1) === 35
    const found = isNumber ? numeric(text, at) : named(text, at, inAttribute)
    if (found !== null) {
      decoded += text.slice(done, at) + found.text
      done = found.end
    }
    at = text.indexOf('&', found?.end ?? at + 1)
  }
  return decoded + text.slice(done)
}

interface Found {
  readonly text: string
  readonly end: number
}

function numeric(text: string, at: number): Found | null {
  const isHex = (text.charCodeAt(at + 2) | 32) === 120
  const start = at + (isHex ? 3 : 2)
  let end = start
  let value = 0
  for (;;) {
    const digit = digitValue(text.charCodeAt(end), isHex)
    if (digit < 0) break
    value = Math.min(value * (isHex ? 16 : 10) + digit, 0x110000)
    end += 1
  }
  if (end === start) return null
  if (text.charCodeAt(end) === SEMICOLON) end += 1
  return { text: characterOf(value), end }
}

function digitValue(code: number, isHex: boolean): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = (code | 32) - 97
  return isHex && letter >= 0 && letter < 6 ? letter + 10 : -1
}

function characterOf(value: number): string {
  if (value >= 128 && value <= 159) return WINDOWS_1252[value - 128] ?? '\ufffd'
  const isSurrogate = value >= 0xd800 && value <= 0xdfff
  return value === 0 || value > 0x10ffff || isSurrogate ? '\ufffd' : String.fromCodePoint(value)
}

function named(text: string, at: number, inAttribute: boolean): Found | null {
  let end = at + 1
  let packed = 0
  while (isLetter(text.charCodeAt(end)) && end - at <= SHORT_CHARS_MAX) {
    packed = (packed << 6) | (text.charCodeAt(end) & 63)
    end += 1
  }
  const isShort = text.charCodeAt(end) === SEMICOLON
  while (end - at <= NAME_CHARS_MAX && isNameCharacter(text.charCodeAt(end))) end += 1
  if (text.charCodeAt(end) === SEMICOLON) {
    const whole = isShort ? SHORT_NAMES.get(packed) : NAMES.get(text.slice(at + 1, end))
    if (whole !== undefined) return { text: whole, end: end + 1 }
  }
  return unfinished(text, at, { end, inAttribute })
}

/** A name without its semicolon: the longest that needs none. */
function unfinished(
  text: string,
  at: number,
  options: { readonly end: number; readonly inAttribute: boolean },
): Found | null {
  const { end, inAttribute } = options
  if (inAttribute) {
    const name = text.slice(at + 1, end)
    const whole = LEGACY.has(name) && text.charCodeAt(end) !== 61 ? NAMES.get(name) : undefined
    return whole === undefined ? null : { text: whole, end }
  }
  for (let nameEnd = end; nameEnd > at + 2; nameEnd -= 1) {
    const name = text.slice(at + 1, nameEnd)
    const found = LEGACY.has(name) ? NAMES.get(name) : undefined
    if (found !== undefined) return { text: found, end: nameEnd }
  }
  return null
}

function isLetter(code: number): boolean {
  const letter = code | 32
  return letter >= 97 && letter <= 122
}

function isNameCharacter(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 57)
}

function readNames(table: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  let next = 0
  for (const word of table.split(/\s+/)) {
    if (/^\d+$/.test(word)) next = Number(word)
    else names.set(word, String.fromCodePoint(next++))
  }
  return names
}
