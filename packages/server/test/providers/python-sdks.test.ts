import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readExamples } from '../../../../tools/document-examples.ts'
import { runClients } from './testing-clients.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const PYTHON = join(ROOT, 'node_modules', '.mayfly-python-client', 'bin', 'python')

const NO_TEMPLATE = 'TemplateDoesNotExistException TemplateDoesNotExist'
const API = 'AnymailRequestsAPIError'
const INVALID = 'AnymailInvalidAddress'

describe("providers' APIs, with clients for Python", () => {
  it('work with the SDKs, and raise the class of each refusal', async () => {
    await runClients({
      command: PYTHON,
      args: ['sdks.py'],
      // Two of them send by TLS.
      env: ({ caFile }) => ({ REQUESTS_CA_BUNDLE: caFile }),
      clients: {
        resend: [
          ...['sent', 'ValidationError 422', 'ResendError 403', 'InvalidApiKeyError 403'],
          'RateLimitError 429',
        ],
        sendgrid: [
          ...['sent', 'BadRequestsError 400', 'ForbiddenError 403', 'UnauthorizedError 401'],
          'TooManyRequestsError 429',
        ],
        'boto3 ses': [
          ...['sent', 'ClientError InvalidParameterValue', 'MessageRejected MessageRejected'],
          ...['ClientError InvalidClientTokenId', 'sent'],
        ],
        'boto3 sesv2': [
          ...['sent', 'BadRequestException BadRequestException', 'MessageRejected MessageRejected'],
          ...['ClientError UnrecognizedClientException', 'sent'],
        ],
        'boto3 template': [
          ...[NO_TEMPLATE, NO_TEMPLATE, NO_TEMPLATE],
          ...['ClientError InvalidClientTokenId', NO_TEMPLATE],
        ],
        postmarker: [
          ...['sent', 'ClientError 300', 'ClientError 400', 'ClientError 10', 'ClientError 0'],
        ],
        mailgun: ['sent', '400', '403', '401', 'sent'],
        mailtrap: [
          ...['sent', 'APIError 400', 'APIError 403', 'AuthorizationError 401', 'APIError 429'],
        ],
        brevo: ['sent', 'BadRequestError 400', 'BadRequestError 400', 'ApiError 401', 'sent'],
        mandrill: ['sent', 'invalid', 'rejected', 'ApiClientError 500', 'ApiClientError 429'],
        mailjet: [
          ...['sent', 'ValidationError 400', 'MailjetAuthError 403', 'MailjetAuthError 401'],
          'ApiRateLimitError 429',
        ],
        mailersend: ['sent', 'ValidationError', 'BadRequestError', 'AuthenticationError', 'sent'],
      },
    })
  })

  it('work with django-anymail, by the settings of the guide', async () => {
    const examples = readExamples(ROOT, 'docs/providers.md')
    const { code } = examples.find((one) => one.code.startsWith('ANYMAIL')) ?? assert.fail()
    await runClients({
      command: PYTHON,
      args: ({ httpUrl }) => [
        'anymail_backends.py',
        code.replaceAll('http://127.0.0.1:8025', httpUrl),
      ],
      clients: {
        amazon_ses: [
          ...['sent', INVALID, 'AnymailAPIError MessageRejected'],
          ...['AnymailAPIError UnrecognizedClientException', 'sent'],
        ],
        sendgrid: ['sent', INVALID, `${API} 403`, `${API} 401`, `${API} 429`],
        resend: ['sent', INVALID, `${API} 403`, `${API} 403`, `${API} 429`],
        postmark: ['sent', INVALID, `${API} 422`, `${API} 401`, `${API} 429`],
        mailgun: ['sent', INVALID, `${API} 403`, `${API} 401`, `${API} 429`],
        brevo: ['sent', INVALID, `${API} 400`, `${API} 401`, `${API} 429`],
        mandrill: ['sent', INVALID, 'AnymailRecipientsRefused', `${API} 500`, `${API} 429`],
        mailtrap: ['sent', INVALID, `${API} 403`, `${API} 401`, `${API} 429`],
        mailjet: ['sent', INVALID, 'failed', `${API} 401`, `${API} 429`],
        mailersend: ['sent', INVALID, `${API} 422`, `${API} 401`, `${API} 429`],
      },
    })
  })
})
