import { idSchema } from '@mayfly/contract'
import { z } from 'zod'
import { splitDiagnosis } from '../diagnosis-text.ts'
import { defineTool, READ_ONLY } from '../tool.ts'

/** The reasons why a mail did not arrive. */
export const diagnosticsTools = [
  defineTool({
    name: 'explain_missing_mail',
    description:
      'Shows what happened to mail for an inbox: accepted, refused and why, sent to similar addresses; and what to do next. Use it when a wait ended without the mail.',
    input: z.strictObject({ inboxId: idSchema('inbox') }),
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
