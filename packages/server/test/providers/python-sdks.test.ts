import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { startService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const PYTHON = join(ROOT, 'node_modules', '.mayfly-python-client', 'bin', 'python')
const SCRIPT = join(import.meta.dirname, 'python_sdks.py')

describe("providers' APIs, with their Python SDKs", () => {
  it('send, and raise the error class of each refusal', async () => {
    await using service = await startService({ env: { MAYFLY_PROVIDERS_PORT: '0' } })
    const { inbox, key } = await givenProject(service)
    const root = `http://127.0.0.1:${service.providersPort}`
    const { stdout } = await promisify(execFile)(PYTHON, [SCRIPT, service.httpUrl, key, root])
    assert.deepEqual(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), {
      resend: 'delivered',
      'resend error': 422,
      sendgrid: [202, 22],
      'sendgrid BadRequestsError': 400,
      'sendgrid UnauthorizedError': 401,
      boto3: true,
      'boto3 ses': 'SignatureDoesNotMatch',
      'boto3 sesv2': 'InvalidSignatureException',
      'boto3 template': 'TemplateDoesNotExist',
      postmarker: 'OK',
      'postmarker error': 300,
      mailgun: 'Queued. Thank you.',
      'mailgun error': 400,
    })
    const { messages } = await inbox.listMessages()
    assert.deepEqual(
      messages.map(({ subject }) => subject),
      ['mailgun', 'postmarker', 'boto3', 'boto3', 'sendgrid', 'resend'],
    )
  })
})
