import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, beforeEach, describe, it } from 'node:test'
import { shared } from '../testing-shared.ts'
import type { TestService } from '../testing-start-service.ts'
import { send, startCatchAll } from './testing-catch-all.ts'

const HERE = import.meta.dirname
const ENVIRONMENT = join(HERE, '../../../../node_modules/.mayfly-python-client')
const PYTHON = join(ENVIRONMENT, 'bin', 'python')

/** Tests of pytest-mailpit that do not pass, each with its reason. */
const NOT_PASSED = [
  // They start Mailpit itself, in a container.
  'test_container.py',
  // They have Mailpit's port in their text; the service of a test has another.
  'test_quality_checks.py::test_links_that_work_pass',
  'test_quality_checks.py::test_a_broken_link_fails_with_its_status',
] as const

describe('clients for Python', () => {
  const catchAll = shared(async (resources) => {
    return resources.use(await startCatchAll())
  })

  before(() => assert.ok(existsSync(PYTHON), 'run node tools/setup.mjs --test'))
  beforeEach(async () => {
    const { httpUrl } = await catchAll()
    const { status } = await fetch(`${httpUrl}/api/v1/messages`, { method: 'DELETE' })
    assert.equal(status, 200)
  })

  it('pytest-mailpit passes its own integration tests', async () => {
    const [source] = globSync(join(ENVIRONMENT, 'source', 'pytest_mailpit-*'))
    assert.ok(source, 'the source of pytest-mailpit is missing: run node tools/setup.mjs --test')
    await using folder = await temporaryFolder()
    await cp(source, folder.path, { recursive: true })
    const service = await catchAll()
    const skipped = NOT_PASSED.flatMap((test) => ['--deselect', `tests/integration/${test}`])
    const output = await python(
      ['-m', 'pytest', 'tests/integration', '-m', 'integration', '-q', ...PLUGINS, ...skipped],
      { service, cwd: folder.path },
    )
    assert.match(output, /\n37 passed, \d+ deselected/)
  })

  it('mailpit-api-client reads messages and headers, and deletes', async () => {
    const service = await catchAll()
    await send(service, {
      to: 'bob@a.example',
      bcc: 'ada@elsewhere.example',
      text: 'Hello',
      // Its model of the headers has this one without a default.
      headers: { 'Delivered-To': 'bob@a.example' },
    })
    const output = await python(['-c', MAILPIT_API_CLIENT], { service })
    assert.deepEqual(JSON.parse(output), [1, 1, 'ada@elsewhere.example', true, 0])
  })

  it('mailhog lists, searches and deletes', async () => {
    const service = await catchAll()
    for (const subject of ['One', 'Two']) {
      await send(service, { to: 'ada@elsewhere.example', subject, text: `text of ${subject}` })
    }
    const output = await python(['-c', MAILHOG], { service })
    assert.deepEqual(JSON.parse(output), [2, 'Two', ['ada@elsewhere.example'], 1, 1, 0])
  })
})

const PLUGINS = ['-p', 'system_browser', '-p', 'no:cacheprovider']

const MAILPIT_API_CLIENT = `
import json, os
import httpx
from mailpit.client.api import API
api = API(os.environ["MAILPIT_URL"].rstrip("/"))
messages = api.get_messages()
message = messages.messages[0]
# Its model of a message has the field Read, which Mailpit does not send any more.
try:
    api.get_message(message.id)
    raise AssertionError("the message has Read")
except KeyError as error:
    assert str(error) == "'read'"
headers = api.get_message_headers(message.id)
# It sends a form, which Mailpit refuses, too.
try:
    api.put_messages([message.id], "Read", True)
except httpx.HTTPStatusError as error:
    assert error.response.status_code == 400
found = [messages.total, messages.count, message.bcc[0].address, bool(headers.from_)]
api.delete_messages([])
print(json.dumps(found + [api.get_messages().total]))
`

const MAILHOG = `
import json, os
from urllib.parse import urlsplit
from mailhog import Mailhog
url = urlsplit(os.environ["MAILPIT_URL"])
client = Mailhog(url.hostname, url.port)
messages = client.messages()
found = [messages.total, messages.items[0].get_subject(), messages.items[0].get_recipients()]
found.append(client.search("text of One").total)
client.delete(messages.items[0])
found.append(client.messages().total)
client.delete_all()
print(json.dumps(found + [client.messages().total]))
`

/** The output of Python; fails with it unless Python succeeds. */
async function python(
  args: readonly string[],
  { service, cwd = HERE }: { readonly service: TestService; readonly cwd?: string },
): Promise<string> {
  const env = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    MAILPIT_URL: `${service.httpUrl}/`,
    MAILPIT_SMTP: `127.0.0.1:${service.smtpPort}`,
    CHROMIUM_PATH: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    PYTHONPATH: HERE,
    // pytest compiles plugins anew at each start where it cannot write.
    PYTHONDONTWRITEBYTECODE: undefined,
  }
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  execFile(PYTHON, [...args], { cwd, env }, (error, stdout, stderr) => {
    if (error === null) resolve(stdout)
    else reject(new Error(`${stdout}${stderr}`))
  })
  return promise
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'mayfly-compat-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
