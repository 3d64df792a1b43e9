// What of a request is kept beside its mail: without keys and contents, and of limited size.

/** Bytes of JSON that are kept with a mail. */
const RECORDED_BYTES_MAX = 64 * 1024

/** The same of all mails of one call together. */
const CALL_BYTES_MAX = 1024 * 1024

const SHORTENED_MIN = 100

/** Lists whose entries are files, and the fields of an entry that hold bytes. */
const FILES = /^(?:inlined?_?)?(?:attachments?|images)$/i
const CONTENTS = /^(?:content|base64content|rawcontent|data)$/i

/** A request for the record, as a value of JSON. */
export function recordedRequest(
  request: unknown,
  { key, copies }: { readonly key: string; readonly copies: number },
): unknown {
  if (request === null || copies === 0) return null
  const bytesMax = Math.min(RECORDED_BYTES_MAX, Math.floor(CALL_BYTES_MAX / copies))
  const cleaned = clean(request, { key, isFile: false, depth: 0 })
  for (let charsMax = bytesMax; charsMax >= SHORTENED_MIN; charsMax = Math.floor(charsMax / 4)) {
    const shown = shorten(cleaned, charsMax)
    if (Buffer.byteLength(JSON.stringify(shown)) <= bytesMax) return shown
  }
  return { omitted: 'the request has too many fields' }
}

const DEPTH_MAX = 50

type Place = { readonly key: string; readonly isFile: boolean; readonly depth: number }

function clean(value: unknown, place: Place): unknown {
  const { key } = place
  if (value instanceof Uint8Array) return `<${value.length} bytes>`
  if (typeof value === 'string')
    return key.length > 0 && value.includes(key) ? value.replaceAll(key, '<key>') : value
  if (typeof value !== 'object' || value === null) return value
  if (place.depth > DEPTH_MAX) return null
  const depth = place.depth + 1
  if (Array.isArray(value)) return value.map((one: unknown) => clean(one, { ...place, depth }))
  const entries = Object.entries(value).map(([name, own]: [string, unknown]) => {
    if (place.isFile && CONTENTS.test(name)) {
      if (typeof own === 'string') return [name, sizeText(own)]
      // The numbers of bytes.
      if (Array.isArray(own)) return [name, `<${own.length} bytes>`]
    }
    return [name, clean(own, { key, depth, isFile: place.isFile || FILES.test(name) })]
  })
  return Object.fromEntries(entries)
}

/** The size of what a text in base64 holds. */
function sizeText(base64: string): string {
  return `<${Buffer.byteLength(base64, 'base64')} bytes>`
}

function shorten(value: unknown, charsMax: number): unknown {
  if (typeof value === 'string') {
    return value.length <= charsMax
      ? value
      : `${value.slice(0, charsMax)}… (${value.length} characters)`
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: unknown) => shorten(one, charsMax))
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => [name, shorten(own, charsMax)]),
  )
}
