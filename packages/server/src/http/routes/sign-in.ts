import {
  changeSession,
  createSignInLink,
  signIn,
  signInWithoutKey,
  signOut,
} from '@mayfly/contract'
import { PUBLIC } from '../caller.ts'
import type { Routes } from '../route.ts'

/** Signing in to the dashboard. */
export const signInRoutes: Routes = (http, app) => {
  http.post('/v1/sign-in-links', { schema: createSignInLink }, async (request, reply) =>
    reply.code(201).send(await app.signIn.createLink(request.caller)),
  )

  http.post('/v1/sign-in', { schema: signIn, config: PUBLIC }, async (request, reply) =>
    reply.code(201).send(await app.signIn.exchange(request.body)),
  )

  const keyless = { schema: signInWithoutKey, config: PUBLIC }
  http.post('/v1/sign-in/catch-all', keyless, async (_request, reply) =>
    reply.code(201).send(await app.signIn.withoutKey()),
  )

  http.patch('/v1/sign-in', { schema: changeSession }, async (request) => ({
    key: await app.signIn.change(request.caller, request.body),
  }))

  http.delete('/v1/sign-in', { schema: signOut }, async (request, reply) => {
    await app.signIn.end(request.caller)
    return reply.code(204).send(null)
  })
}
