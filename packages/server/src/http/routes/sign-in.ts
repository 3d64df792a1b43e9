import { createSignInLink, signIn, signInWithoutKey } from '@mayfly/contract'
import { PUBLIC } from '../caller.ts'
import type { Routes } from '../route.ts'

/** Signing in to the dashboard. */
export const signInRoutes: Routes = (http, app) => {
  http.post('/v1/sign-in-links', { schema: createSignInLink }, async (request, reply) =>
    reply.code(201).send(await app.signIn.createLink(request.caller)),
  )

  http.post('/v1/sign-in', { schema: signIn, config: PUBLIC }, async (request, reply) =>
    reply.code(201).send(await app.signIn.exchange(request.body.token)),
  )

  const keyless = { schema: signInWithoutKey, config: PUBLIC }
  http.post('/v1/sign-in/catch-all', keyless, async (_request, reply) =>
    reply.code(201).send(await app.signIn.withoutKey()),
  )
}
