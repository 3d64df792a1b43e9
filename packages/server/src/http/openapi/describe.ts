import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { NO_BODY } from '../json-body.ts'
import { polishOpenApi } from './complete-openapi.ts'

/** Version of the interface, not of the program: it changes only with the contract. */
const INTERFACE_VERSION = '1.0.0'

const DESCRIPTION = `Throw-away email inboxes for automated tests.

Create an inbox, let the application under test send to it, wait until the mail or its one-time
code arrives, check it, and delete the inbox or let it expire.

Calls need an API key unless they say otherwise: \`Authorization: Bearer <API_KEY>\`.
Errors have one shape: \`{ error: { type, code, message } }\`.

The version of this document is that of the API under \`/v1\`. \`GET /v1/service\` returns the version of
the service.

The APIs of Mailpit, MailHog and MailDev are served beside this one, under their own paths, and show
the messages of catch-all inboxes. The guides "Moving from …" list them; they are not in this document.`

const TAGS = [
  { name: 'Accounts and keys', description: 'Accounts, API keys, usage, external accounts.' },
  { name: 'Inboxes', description: 'Throw-away inboxes and their addresses.' },
  { name: 'Messages', description: 'Reading mail and waiting for it.' },
  { name: 'Assertions and scenarios', description: 'Checks on a mail, and saved sets of them.' },
  { name: 'Diagnostics', description: 'Why a mail or a code did not arrive.' },
  { name: 'Domains', description: 'Receiving domains, public and your own.' },
  { name: 'Webhooks', description: 'Mail pushed to your endpoint, and the delivery log.' },
  { name: 'Service', description: 'The service itself.' },
]

/** Requests that the service sends. */
const WEBHOOKS = {
  'message.received': {
    post: {
      operationId: 'receiveMessageEvent',
      security: [],
      tags: ['Webhooks'],
      summary: 'A message has arrived',
      description:
        'Sent to every webhook of the account. `X-Service-Signature` is the hex of HMAC-SHA256, keyed with the whole secret, over `X-Service-Timestamp`, a period and the raw body; `X-Service-Event-Id` is the same at every attempt.',
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/WebhookEvent' } } },
      },
      responses: {
        '2XX': {
          description:
            'The event was received. Respond within 10 seconds; anything else is retried.',
        },
        410: { description: 'Gone: the webhook is disabled.' },
      },
    },
  },
}

/** Remembers all routes that are registered after this call, for `describedRoutes`. */
export async function describeRoutes(http: FastifyInstance): Promise<void> {
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Mayfly',
        version: INTERFACE_VERSION,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of your account.' },
        },
      },
      tags: TAGS,
      webhooks: WEBHOOKS,
    },
    transform: (route) =>
      jsonSchemaTransform({
        ...route,
        schema: route.schema.body === NO_BODY ? { ...route.schema, body: undefined } : route.schema,
      }),
    transformObject: jsonSchemaTransformObject,
  })
}

/** The OpenAPI document of the routes. */
export function describedRoutes(http: FastifyInstance, baseUrl: string): object {
  // Copied through JSON, so that the document shares no object with the routes.
  const document = polishOpenApi(JSON.parse(JSON.stringify(http.swagger())))
  return { ...document, servers: [{ url: baseUrl }] }
}
