import {
  Client,
  type RequestOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import type { ApiClient } from './testing-api-client.ts'

/** What a tool answered, as a test looks at it. */
export type ToolAnswer = {
  readonly isError: boolean
  /** The blocks of text. */
  readonly texts: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the parts it names.
  readonly data: any
}

/** An agent: the protocol's own client. */
export type Agent = AsyncDisposable & {
  readonly client: Client
  /** Calls a tool; the answer was checked against the schema that the tool lists. */
  call(tool: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<ToolAnswer>
}

/** Connects over HTTP with the key of an API client. */
export async function connectAgent(httpUrl: string, api: Pick<ApiClient, 'key'>): Promise<Agent> {
  const requestInit = { headers: { authorization: `Bearer ${api.key}` } }
  return startAgent(new StreamableHTTPClientTransport(new URL('/mcp', httpUrl), { requestInit }))
}

/** Connects over any transport. */
export async function startAgent(transport: Transport): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  await client.listTools()
  return {
    client,
    call: async (tool, args = {}, options = {}) => {
      const result = await client.callTool({ name: tool, arguments: args }, options)
      const { content, isError } = result
      const texts = content.map((block) => (block.type === 'text' ? block.text : ''))
      const [own = '', untrusted] = texts
      const data =
        isError === true ? undefined : { ...JSON.parse(own), ...(untrusted && { untrusted }) }
      return { isError: isError === true, texts, data }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** What stands between the borders of a text, and what is left of it outside. */
export function partFence(text: string): { readonly inside: string; readonly outside: string } {
  const [whole, mark, inside] =
    /<<<untrusted (\w{16})>>>\n([\s\S]*)\n<<<end untrusted \1>>>/.exec(text) ?? []
  if (whole === undefined || mark === undefined || inside === undefined) {
    throw new Error(`there is no fence in: ${text}`)
  }
  return { inside, outside: text.replace(whole, '') }
}
