/** A body of 256 KiB that was made to be slow to parse or to check. */
type WorstBody = { readonly name: string; readonly json: string }

const CHARS = 256 * 1024 - 200

/** What the parts of a body are, and what stands around them; `i` makes each part another. */
const LISTS: Readonly<Record<string, (i: string) => string>> = {
  'empty arrays': () => '[]',
  'empty objects': () => '{}',
  'objects with one property': (i) => `{"k${i}":1}`,
  'objects with a constructor': () => '{"constructor":{"x":1}}',
  numbers: () => '1e99',
  'long fractions': () => `0.${'1234567890'.repeat(80)}`,
  'messages of the protocol': (i) => `{"jsonrpc":"2.0","id":"${i}","method":"tools/list"}`,
}

const OBJECTS: Readonly<Record<string, (i: string) => string>> = {
  'many properties': (i) => `"k${i}":1`,
  'many empty objects': (i) => `"k${i}":{}`,
  'properties that are numbers': (i) => `"${Number.parseInt(i, 36) * 7919}":1`,
}

/** Bodies that took long to parse or to check at some time, or look as if they could. */
export const WORST_BODIES: readonly WorstBody[] = [
  { name: 'open arrays', json: '['.repeat(CHARS) },
  { name: 'open objects', json: '{"a":'.repeat(CHARS / 5) },
  { name: 'arrays in arrays', json: nested('[', ']') },
  { name: 'objects in objects', json: nested('{"a":', '}') },
  { name: 'a long number', json: '1'.repeat(CHARS) },
  { name: 'escapes', json: `"${'\\u0041'.repeat(CHARS / 6)}"` },
  { name: 'a long text', json: JSON.stringify({ name: 'x'.repeat(CHARS) }) },
  { name: 'a long URL', json: JSON.stringify({ url: `https://${'a.'.repeat(CHARS / 2)}` }) },
  ...Object.entries(LISTS).map(([name, part]) => ({ name, json: `[${joined(part)}]` })),
  ...Object.entries(OBJECTS).map(([name, part]) => ({ name, json: `{${joined(part)}}` })),
  {
    name: 'assertions of no type',
    json: `{"timeoutSeconds":0,"assertions":[${joined(() => '{}')}]}`,
  },
  {
    name: 'arguments of a tool',
    json: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_inbox","arguments":{${joined((i) => `"k${i}":1`)}}}}`,
  },
]

/** The same with as many values as a body may have. */
export const LARGEST_BODIES: readonly WorstBody[] = [
  ...Object.entries(LISTS).map(([name, part]) => ({ name, json: `[${joined(part, 1_600)}]` })),
  ...Object.entries(OBJECTS).map(([name, part]) => ({ name, json: `{${joined(part, 2_400)}}` })),
]

function joined(part: (i: string) => string, count = CHARS): string {
  const parts: string[] = []
  let chars = 0
  for (let i = 0; i < count; i++) {
    const next = part(i.toString(36))
    chars += next.length + 1
    if (chars > CHARS) break
    parts.push(next)
  }
  return parts.join()
}

function nested(open: string, close: string): string {
  const levels = Math.floor(CHARS / (open.length + close.length))
  return `${open.repeat(levels)}${close.repeat(levels)}`
}
