import { diagnosticsSchema, idSchema, inboxSchema, stageSchema } from '@mayfly/contract'
import { z } from 'zod'
import { splitDiagnosis } from '../diagnosis-text.ts'
import { defineTool, READ_ONLY, untrustedField } from '../tool.ts'

/** The reasons why a mail did not arrive. */
export const diagnosticsTools = [
  defineTool({
    name: 'explain_missing_mail',
    title: 'Explain a missing mail',
    description:
      'Shows what happened in an inbox: mails accepted, mails refused and why, mails for similar addresses, and what to do next. Use it when a wait ended without the mail, before you trigger it again.',
    input: z.strictObject({ inboxId: idSchema('inbox') }),
    output: diagnosticsSchema.pick({ state: true, domain: true, nextSteps: true }).extend({
      emailAddress: inboxSchema.shape.emailAddress.describe('Where the mail must be sent to.'),
      seen: z.partialRecord(stageSchema, z.int()).describe('How often each stage was observed.'),
      untrusted: untrustedField
        .optional()
        .describe('The newest events, and steps that quote a sender.'),
    }),
    annotations: READ_ONLY,
    run: async ({ app, caller, fence }, { inboxId }) => {
      const { emailAddress } = await app.inboxes.get(caller, inboxId)
      const diagnosis = await app.inboxes.diagnose(caller, inboxId)
      const { nextSteps, quoted } = splitDiagnosis(diagnosis)
      const stages = Object.groupBy(diagnosis.events, ({ stage }) => stage)
      const seen = Object.fromEntries(
        Object.entries(stages).map(([stage, events]) => [stage, events?.length ?? 0]),
      )
      const { state, domain } = diagnosis
      const facts = { state, domain, nextSteps, emailAddress, seen }
      return quoted === null ? facts : { ...facts, untrusted: fence(quoted) }
    },
  }),
]
