import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:http'

/** A mail with the code for a new user. */
export type CodeMail = {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** An application that mails a code to each new user: POST /signup, then POST /verify. */
export function signupApp(send: (mail: CodeMail) => Promise<unknown>): Server {
  const codes = new Map<string, string>()
  return createServer(async (request, response) => {
    const form = new URLSearchParams(await new Response(request).text())
    const [email, code] = [String(form.get('email')), form.get('code')]
    if (request.url === '/verify') {
      return response.writeHead(codes.get(email) === code ? 200 : 403).end()
    }
    const fresh = String(randomInt(100_000, 1_000_000))
    codes.set(email, fresh)
    try {
      await send({
        from: 'no-reply@app.example',
        to: email,
        subject: 'Verify your email address',
        text: `Hello,\n\nyour verification code is ${fresh}.\n`,
      })
      response.writeHead(202).end()
    } catch (error) {
      response.writeHead(502).end(String(error))
    }
  })
}
