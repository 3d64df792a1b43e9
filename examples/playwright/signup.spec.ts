import { expect, test } from '@mayfly/client/playwright'

test('a new user verifies their address with the code from the mail', async ({ page, inbox }) => {
  await page.goto('/')
  await page.getByLabel('Email').fill(inbox.emailAddress)
  const { value: code } = await inbox.expectOtp(() =>
    page.getByRole('button', { name: 'Sign up' }).click(),
  )
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('Welcome!')).toBeVisible()
})

test('the link in the mail does the same', async ({ page, inbox }) => {
  await page.goto('/')
  await page.getByLabel('Email').fill(inbox.emailAddress)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await expect(inbox).toReceiveEmail({ subject: /^verify/i })
  const { url } = await inbox.waitForLink({ link: '/verify?' })
  await page.goto(url)
  await expect(page.getByText('Welcome!')).toBeVisible()
})
