import { expect, test } from '@mayfly/client/vitest'

const APP_URL = process.env['APP_URL'] ?? 'http://127.0.0.1:3000'

/** Fills in a form of the application, as its pages do. */
async function submit(path: string, fields: Record<string, string>): Promise<string> {
  const response = await fetch(new URL(path, APP_URL), {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  return response.text()
}

test('a new user verifies their address with the code from the mail', async ({ inbox }) => {
  const email = inbox.emailAddress
  const { value: code } = await inbox.expectOtp(() => submit('/signup', { email }))
  expect(await submit('/verify', { email, code })).toContain('Welcome!')
})

test('the link in the mail does the same', async ({ inbox }) => {
  const { url } = await inbox.expectLink(() => submit('/signup', { email: inbox.emailAddress }), {
    link: '/verify?',
  })
  expect(await (await fetch(url)).text()).toContain('Welcome!')
})

test('the mail reads as it should', async ({ inbox }) => {
  await submit('/signup', { email: inbox.emailAddress })
  await expect(inbox).toReceiveEmail({ from: 'no-reply@app.example', subject: /^verify/i })
  await expect(inbox).toReceiveOtp({ value: /^\d{6}$/ })
  expect(await inbox.waitForMessage()).toMatchSnapshot()
})

test('nobody is mailed without asking', async ({ inbox }) => {
  await expect(inbox).not.toReceiveEmail({ withinSeconds: 1 })
})
