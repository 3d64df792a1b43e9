import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTransport } from 'nodemailer'
import { codeMail, type Fault } from './mails.ts'
import { codePage, formPage, page } from './pages.ts'

/** Where the application sends its mail, and what is wrong with it. */
export type AppOptions = {
  readonly smtpHost: string
  readonly smtpPort: number
  readonly port?: number
  /** A bug on purpose, to see what a test says of it. */
  readonly fault?: Fault
}

/** The running application. */
export type App = AsyncDisposable & { readonly url: string }

/** Starts a small application that mails a code and a link to each new user. */
export async function startApp(options: AppOptions): Promise<App> {
  const { smtpHost: host, smtpPort: port } = options
  const transport = createTransport({ host, port, ignoreTLS: true })
  const codes = new Map<string, string>()
  let url = ''

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const form = new URLSearchParams(await bodyOf(request))
    const email = form.get('email') ?? searchParams.get('email') ?? ''
    if (request.method === 'POST' && pathname === '/signup') {
      const code = String(randomInt(100_000, 1_000_000))
      codes.set(email, code)
      const mail = codeMail({ email, code, url, fault: options.fault ?? 'none' })
      if (mail !== null) await transport.sendMail(mail)
      return show(response, 200, codePage(email))
    }
    if (pathname === '/verify') {
      const isRight = codes.get(email) === (form.get('code') ?? searchParams.get('code'))
      return show(response, isRight ? 200 : 403, page(isRight ? 'Welcome!' : 'Wrong code.'))
    }
    show(response, 200, formPage())
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error) => show(response, 500, page(String(error))))
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this kind.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      transport.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function show(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html)
}
