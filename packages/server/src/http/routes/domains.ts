import {
  deleteDomain,
  listCustomDomains,
  listDomains,
  registerDomain,
  verifyDomain,
} from '@mayfly/contract'
import type { Routes } from '../route.ts'

/** Receiving domains. */
export const domainRoutes: Routes = (http, app) => {
  http.get('/v1/domains', { schema: listDomains }, async (request) => ({
    domains: await app.domains.list(request.caller),
  }))

  http.post('/v1/domains', { schema: registerDomain }, async (request, reply) => {
    const domain = await app.domains.register(request.caller, request.body.domain)
    return reply.code(201).send({ domain })
  })

  http.get('/v1/domains/custom', { schema: listCustomDomains }, async (request) => ({
    domains: await app.domains.listCustom(request.caller),
  }))

  http.post('/v1/domains/:domain/verify', { schema: verifyDomain }, async (request) => ({
    domain: await app.domains.verify(request.caller, request.params.domain),
  }))

  http.delete('/v1/domains/:domain', { schema: deleteDomain }, async (request, reply) => {
    await app.domains.delete(request.caller, request.params.domain)
    return reply.code(204).send(null)
  })
}
