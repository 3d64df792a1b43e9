import { basename } from 'node:path'
import { type OtpInput, parseMail, readHtml } from '@mayfly/mail'
import { BATCHES, readBatch } from '../../packages/mail/test/testing-otp-batches.ts'
import {
  type CorpusPart,
  readCorpus,
  readTable,
} from '../../packages/mail/test/testing-otp-corpus.ts'
import { withSecondNumber } from '../../packages/mail/test/testing-second-numbers.ts'

/** A mail that the model is trained with. */
export interface TrainingMail {
  readonly file: string
  /** The batch that it belongs to, the part of the corpus, or `phrases`. */
  readonly group: string
  readonly language: string
  readonly input: OtpInput
  readonly otp: string | null
  /** How much it counts in the training. */
  readonly weight: number
}

/** All mails of the repository that may be learned from: a batch is a file of a folder. */
export function readMails(): readonly TrainingMail[] {
  const parts: readonly CorpusPart[] = ['tune', 'measure']
  return [
    ...BATCHES.flatMap(batchMails),
    ...parts.flatMap(corpusMails),
    ...phrases(),
    ...phrases().flatMap(variationsOf),
    ...labels(),
    ...subjects(),
  ]
}

/** They are few beside those that were written. */
const RENDERED_WEIGHT = 2

function batchMails(batch: URL): readonly TrainingMail[] {
  const group = basename(batch.pathname, '.jsonl')
  return readBatch(batch).map(({ file, language, subject, text, html, otp, project }) => ({
    file,
    // Mails of one project are alike: they are left out together.
    group: project === undefined ? group : `project ${project}`,
    language,
    input: { subject, text, html: html === null ? null : readHtml(html) },
    otp,
    weight: project === undefined ? 1 : RENDERED_WEIGHT,
  }))
}

function corpusMails(part: CorpusPart): readonly TrainingMail[] {
  return readCorpus(part).map(({ file, language, raw, otp }) => {
    const { subject, text, html } = parseMail(raw)
    const input = { subject, text, html: html === null ? null : readHtml(html) }
    return { file, group: part, language, input, otp, weight: 1 }
  })
}

/** The number in the tables of labels and subjects. */
const NUMBER = '593817'

/** They are many, and no mails that are sent. */
const LABEL_WEIGHT = 0.3

const NEUTRAL = ['hello', 'Test', 'x', 'Hi']
const LINK = 'See https://example.com/x'
const FOOTERS = [
  'Mintleaf Inc., 2810 Cedar Avenue, Suite 412, Portland, OR 97205',
  'Mintleaf GmbH · Lindenstraße 18 · 10969 Berlin · HRB 204417',
  '© 2025 Mintleaf\nTel. +33 1 70 18 99 04',
  'Mintleaf Oy\nAleksanterinkatu 52\n00100 Helsinki\n\nY-tunnus 2048817-3',
  '--\nKim Asante\nMintleaf support, ext. 4410\n© 2024',
]

/** The same sentence as tests send it: under a subject that says nothing, with more behind it. */
function variationsOf(mail: TrainingMail, at: number): readonly TrainingMail[] {
  const { text } = mail.input
  if (text === null || text.length > SUBJECT_CHARS_MAX) return []
  const subject = NEUTRAL[at % NEUTRAL.length] ?? null
  const changed = { ...mail, group: 'variations', weight: LABEL_WEIGHT }
  const second = withSecondNumber(mail.language, text)
  const other = mail.otp === null ? undefined : second[at % Math.max(1, second.length)]
  return [
    { ...changed, input: { ...mail.input, subject } },
    { ...changed, input: { ...mail.input, subject, text: `${text} ${LINK}` } },
    { ...changed, input: { ...mail.input, text: `${text}\n\n${FOOTERS[at % FOOTERS.length]}` } },
    ...(other === undefined ? [] : [{ ...changed, input: { ...mail.input, text: other } }]),
  ]
}

/** Names of numbers, each alone with one. */
function labels(): readonly TrainingMail[] {
  return readTable('labels.tsv').flatMap(([language = '', meaning = '', ...names]) =>
    names.map((name) => ({
      file: `label ${name}`,
      group: 'labels',
      language,
      input: { subject: null, text: `${name}: ${NUMBER}`, html: null },
      otp: meaning === 'code' ? NUMBER : null,
      weight: LABEL_WEIGHT,
    })),
  )
}

/** A clear name of a code, under subjects about something else. */
function subjects(): readonly TrainingMail[] {
  return readTable('subjects.tsv').flatMap(([language = '', text = '', ...others]) =>
    others.map((subject) => ({
      file: `subject ${subject}`,
      group: 'subjects',
      language,
      input: { subject, text, html: null },
      otp: NUMBER,
      weight: LABEL_WEIGHT,
    })),
  )
}

/** Characters of a first line that is a subject. */
const SUBJECT_CHARS_MAX = 80

function phrases(): readonly TrainingMail[] {
  return readTable('phrases.tsv').map(([language = '', otp = '', written = ''], at) => {
    const phrase = written.replaceAll('\\n', '\n')
    const end = phrase.indexOf('\n\n')
    const hasSubject = end > 0 && end < SUBJECT_CHARS_MAX
    const subject = hasSubject ? phrase.slice(0, end) : null
    const text = hasSubject ? phrase.slice(end + 2) : phrase
    return {
      file: `phrase ${at}`,
      group: 'phrases',
      language,
      input: { subject, text, html: null },
      otp: otp === '-' ? null : otp,
      weight: 1,
    }
  })
}
