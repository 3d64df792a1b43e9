import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'

/** An answer of the API as a test looks at it. */
export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the parts it names.
  readonly body: any
}

/** What a test may add to a request. */
export type RequestExtras = {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is; `body` is sent as JSON. */
  readonly rawBody?: string
  readonly signal?: AbortSignal
}

/** Plain calls to the API, as curl would make them, one connection each. */
export type ApiClient = {
  readonly key: string | null
  get(path: string, extras?: RequestExtras): Promise<Answer>
  post(path: string, body?: unknown, extras?: RequestExtras): Promise<Answer>
  delete(path: string, extras?: RequestExtras): Promise<Answer>
  send(method: string, path: string, extras?: RequestExtras): Promise<Answer>
  withKey(key: string): ApiClient
  /** Where and how to open a stream. */
  streamUrl(path: string): { readonly url: string; readonly headers: Record<string, string> }
}

/** Calls to the service at `baseUrl` with this key. */
export function createApiClient(baseUrl: string, key: string | null): ApiClient {
  const send = (method: string, path: string, extras: RequestExtras = {}) =>
    call(new URL(path, baseUrl), method, {
      ...extras,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...extras.headers },
    })
  return {
    key,
    send,
    get: (path, extras) => send('GET', path, extras),
    delete: (path, extras) => send('DELETE', path, extras),
    post: (path, body, extras = {}) =>
      send('POST', path, {
        ...(body === undefined ? {} : { rawBody: JSON.stringify(body) }),
        ...extras,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...extras.headers,
        },
      }),
    withKey: (other) => createApiClient(baseUrl, other),
    streamUrl: (path) => ({
      url: new URL(path, baseUrl).href,
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
    }),
  }
}

function call(url: URL, method: string, extras: RequestExtras): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { headers = {}, rawBody, signal } = extras
    const request = httpRequest(url, {
      method,
      agent: false,
      headers: {
        ...headers,
        ...(rawBody === undefined ? {} : { 'content-length': String(Buffer.byteLength(rawBody)) }),
      },
      ...(signal === undefined ? {} : { signal }),
    })
    request.once('error', reject)
    request.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const isJson = response.headers['content-type']?.includes('json') === true
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson && text !== '' ? JSON.parse(text) : null,
        })
      })
    })
    request.end(rawBody)
  })
}
