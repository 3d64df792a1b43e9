const { EmailTimeoutError } = require('@mayfly/client')
const { expect, useInbox } = require('@mayfly/client/jest')

const APP_URL = process.env.APP_URL ?? 'http://127.0.0.1:3000'
// Shorter than Jest's timeout of a test, so that the error of the wait is reported.
const inbox = useInbox({ timeoutSeconds: Number(process.env.WAIT_SECONDS ?? 10) })

/** Fills in a form of the application, as its pages do. */
async function submit(path, fields) {
  const response = await fetch(new URL(path, APP_URL), {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  return response.text()
}

test('a new user verifies their address with the code from the mail', async () => {
  const email = inbox().emailAddress
  const { value: code } = await inbox().expectOtp(() => submit('/signup', { email }))
  expect(await submit('/verify', { email, code })).toContain('Welcome!')
})

test('a wait that times out throws an error of the client', async () => {
  await expect(inbox().waitForMessage({ timeoutSeconds: 1 })).rejects.toThrow(EmailTimeoutError)
})
