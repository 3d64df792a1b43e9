import { createMessageFrame } from '@mayfly/contract'
import { PUBLIC } from '../caller.ts'
import type { Routes } from '../route.ts'

/**
 * A mail is a document of a stranger. The `sandbox` directive gives it an origin of its own and
 * runs no script, also when its address is opened in a tab; a link opens a normal tab.
 */
const policyWith = (images: string) =>
  [
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    `img-src ${images}`,
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ')

const POLICIES = { block: policyWith('data:'), allow: policyWith('data: https: http:') }

/** Messages in frames of their own. */
export const frameRoutes: Routes = (http, app) => {
  http.post(
    '/v1/inboxes/:id/messages/:messageId/frame',
    { schema: createMessageFrame },
    async (request, reply) => {
      const { id: inboxId, messageId } = request.params
      const remoteImages = request.body?.remoteImages ?? 'block'
      const frame = { inboxId, messageId, remoteImages }
      return reply.code(201).send(await app.messages.createFrame(request.caller, frame))
    },
  )

  http.get<{ Params: { token: string } }>(
    '/frame/:token',
    { config: PUBLIC, schema: { hide: true } },
    async (request, reply) => {
      const { owner, document, remoteImages } = await app.messages.frame(request.params.token)
      request.contentOwner = owner
      return reply
        .headers({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': POLICIES[remoteImages],
          'referrer-policy': 'no-referrer',
          'cross-origin-resource-policy': 'same-origin',
        })
        .send(document)
    },
  )
}
