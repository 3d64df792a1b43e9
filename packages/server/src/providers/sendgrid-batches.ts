// Batches of scheduled mails of SendGrid: paused, canceled and resumed together.

import { z } from 'zod'
import { type Call, jsonRoutes, Rejected } from './provider.ts'
import { readJson } from './read-body.ts'
import { errors, invalid, must } from './sendgrid-templates.ts'

/** Batches that an account may have paused or canceled. */
const STOPPED_MAX = 10

const STATES = { pause: 'paused', cancel: 'canceled' } as const

const statusSchema = z.strictObject({ status: z.enum(['pause', 'cancel']) })
const stopSchema = statusSchema.extend({ batch_id: z.string().min(1).max(100) })

/** The status of each batch that is paused or canceled. */
async function stopped({ work }: Call) {
  const batches = new Map(
    (await work.mails.listBatches()).map(({ batch, state }) => [batch, state] as const),
  )
  return [...batches].flatMap(([batch_id, state]) =>
    state === 'scheduled'
      ? []
      : [{ batch_id, status: state === 'paused' ? ('pause' as const) : ('cancel' as const) }],
  )
}

async function stop(call: Call) {
  const { batch_id, status } = readJson(call, stopSchema, invalid)
  const known = (await call.work.mails.listBatches()).some(({ batch }) => batch === batch_id)
  must(known, 'batch_id', 'No scheduled mail has this batch_id.')
  const others = await stopped(call)
  const isNew = others.every((one) => one.batch_id !== batch_id)
  must(isNew, 'batch_id', 'The batch has a status: change it with PATCH.')
  must(others.length < STOPPED_MAX, 'batch_id', `At most ${STOPPED_MAX} batches may have a status.`)
  await call.work.mails.changeBatch(batch_id, STATES[status])
  return { batch_id, status }
}

async function getStopped(call: Call) {
  const found = (await stopped(call)).find(({ batch_id }) => batch_id === call.params['id'])
  if (found !== undefined) return found
  const message = 'The batch has no status: none of its mails is paused or canceled.'
  throw new Rejected(errors(404, message, 'batch_id'), message)
}

/** The calls for batches. */
export const batchRoutes = jsonRoutes({
  'POST /v3/mail/batch 201': ({ work }) => ({ batch_id: work.token() }),
  'GET /v3/mail/batch/:id': ({ params }) => ({ batch_id: params['id'] }),
  'GET /v3/user/scheduled_sends': stopped,
  'POST /v3/user/scheduled_sends 201': stop,
  'GET /v3/user/scheduled_sends/:id': async (call) => [await getStopped(call)],
  'PATCH /v3/user/scheduled_sends/:id': async (call) => {
    const { status } = readJson(call, statusSchema, invalid)
    await call.work.mails.changeBatch((await getStopped(call)).batch_id, STATES[status])
  },
  'DELETE /v3/user/scheduled_sends/:id': async (call) => {
    await call.work.mails.changeBatch((await getStopped(call)).batch_id, 'scheduled')
  },
})
