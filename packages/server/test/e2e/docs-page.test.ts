import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { launchBrowser } from '../testing-browser.ts'
import { startService } from '../testing-start-service.ts'

describe('the API reference', () => {
  it('links the guides, which it serves as they are', async () => {
    await using service = await startService()
    const { text } = await service.anonymous.get('/docs')
    const links = [...text.matchAll(/<a href="docs\/([^"]+)">([^<]+)<\/a>/g)]
    assert.ok(links.some(([, name, title]) => name === 'webhooks.md' && title === 'Webhooks'))
    for (const [, name, title] of links) {
      const guide = await service.anonymous.get(`/docs/${name}`)
      assert.equal(guide.headers['content-type'], 'text/plain; charset=utf-8')
      assert.ok(guide.text.startsWith(`# ${title}\n`))
    }
    for (const name of ['nothing.md', '..%2FREADME.md', 'openapi.json', 'decisions']) {
      assert.equal((await service.anonymous.get(`/docs/${name}`)).status, 404, name)
    }
  })

  it('serves the page for agents, whose calls the API has', async () => {
    await using service = await startService()
    const page = await service.anonymous.get('/llms.txt')
    assert.equal(page.headers['content-type'], 'text/plain; charset=utf-8')
    const { paths } = JSON.parse((await service.anonymous.get('/openapi.json')).text)
    const calls = [...page.text.matchAll(/^ {4}(GET|POST|DELETE) +(\/v1\/[^\s?]+)/gm)]
    assert.ok(calls.length > 5)
    for (const [, method = '', path = ''] of calls) {
      assert.ok(paths[path]?.[method.toLowerCase()] !== undefined, `${method} ${path}`)
    }
  })

  it('takes a reader from registration to an inbox', async () => {
    await using service = await startService()
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(`${service.httpUrl}/docs`)

      const register = page.locator('#post-v1-accounts .try')
      await register.locator('summary').click()
      await register.getByLabel('Body').fill('{"email":"reader@example.com"}')
      await register.getByRole('button', { name: 'Send' }).click()
      await register.getByText(/^201 Created/).waitFor()

      const create = page.locator('#post-v1-inboxes .try')
      await create.locator('summary').click()
      await create.getByRole('button', { name: 'Send' }).click()
      await create.getByText(/^201 Created/).waitFor()
      const shown = await create.locator('pre').first().textContent()
      assert.match(JSON.parse(shown ?? '').inbox.emailAddress, /@mayfly\.test$/)
    } finally {
      await browser.close()
    }
  })
})
