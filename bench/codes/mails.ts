import { basename } from 'node:path'
import { type OtpInput, parseMail, readHtml } from '@mayfly/mail'
import { pick, randomFrom } from '../../packages/mail/test/testing-mutations.ts'
import { BATCHES, type BatchMail, readBatch } from '../../packages/mail/test/testing-otp-batches.ts'
import {
  type CorpusPart,
  readCorpus,
  readTable,
} from '../../packages/mail/test/testing-otp-corpus.ts'
import {
  paragraph,
  withLinesAbove,
  withLinesBelow,
} from '../../packages/mail/test/testing-otp-transformations.ts'
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
  /** Whether it is a changed copy of another mail: it is learned from, and not judged. */
  readonly isVariation: boolean
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
    ...oneLiners(),
  ]
}

/** They are few beside those that were written. */
const RENDERED_WEIGHT = 2

function batchMails(batch: URL): readonly TrainingMail[] {
  const name = basename(batch.pathname, '.jsonl')
  return readBatch(batch).flatMap((mail, at) => {
    const { file, language, otp, project } = mail
    const read = {
      // Mails of one project are alike: they are left out together.
      ...{ file, language, otp, group: project === undefined ? name : `project ${project}` },
      weight: project === undefined ? 1 : RENDERED_WEIGHT,
    }
    const written = { ...read, input: inputOf(mail), isVariation: false }
    if (at % VARIED !== 0) return [written]
    const input = inputOf(varied(mail, at / VARIED))
    return [written, { ...read, input, weight: read.weight / 2, isVariation: true }]
  })
}

function inputOf({ subject, text, html }: Pick<BatchMail, 'subject' | 'text' | 'html'>): OtpInput {
  return { subject, text, html: html === null ? null : readHtml(html) }
}

/** One mail of a batch in so many is learned from a second time, with something around it. */
const VARIED = 3

/** Lines that say nothing about a code. */
const AROUND = [
  ...['thanks', 'Cheers', 'welcome back', 'Northpine', 'the team', 'Best', 'Hi Noor', 'regards'],
  ...['Dear customer', 'Robin', 'support', 'hello there', 'Ferngate', 'Kind regards', 'sincerely'],
]

/** A mail with a footer, or with a line of words above and one below. */
function varied(mail: BatchMail, at: number): BatchMail {
  const footer = FOOTERS[(at >> 1) % FOOTERS.length] ?? ''
  if (at % 2 === 0) return withLinesBelow(mail, footer.split('\n'))
  const around = (step: number) => [AROUND[(at * step) % AROUND.length] ?? '']
  return withLinesBelow(withLinesAbove(mail, around(1)), around(7))
}

function corpusMails(part: CorpusPart): readonly TrainingMail[] {
  return readCorpus(part).map(({ file, language, raw, otp }) => {
    const { subject, text, html } = parseMail(raw)
    const input = { subject, text, html: html === null ? null : readHtml(html) }
    return { file, group: part, language, input, otp, weight: 1, isVariation: false }
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
  'Mintleaf S.A., Calle de Alcalá 214, 28028 Madrid\nTeléfono: 915 550 173\n© 2026 Mintleaf',
  'You get this mail because kim@mintleaf.example is registered with us.\nMintleaf Pty Ltd, ABN 51 824 753 556',
  'Sent by Mintleaf Ltd, 9 Quay Road, Bristol BS1 4QA, United Kingdom\nPhone +44 117 555 0138\nAll rights reserved.',
]

/** The same sentence as tests send it: under a subject that says nothing, with more behind it. */
function variationsOf(mail: TrainingMail, at: number): readonly TrainingMail[] {
  const { text } = mail.input
  if (text === null || text.length > SUBJECT_CHARS_MAX) return []
  const subject = NEUTRAL[at % NEUTRAL.length] ?? null
  const changed = { ...mail, weight: LABEL_WEIGHT, isVariation: true }
  const second = withSecondNumber(mail.language, text)
  const other = mail.otp === null ? undefined : second[at % Math.max(1, second.length)]
  return [
    { ...changed, input: { ...mail.input, subject } },
    { ...changed, input: { ...mail.input, subject, text: `${text} ${LINK}` } },
    { ...changed, input: { subject, text: null, html: readHtml(paragraph(text)) } },
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
      isVariation: false,
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
      isVariation: false,
    })),
  )
}

/** How often each line is learned from, each time under another subject and with another code. */
const COPIES = 16

const ONE_LINER_SEED = 3

/** What tests send by themselves: a line or two, under a subject that says nothing. */
function oneLiners(): readonly TrainingMail[] {
  const random = randomFrom(ONE_LINER_SEED)
  const rows = readTable('one-liners.tsv')
  return rows.flatMap(([language = '', kind, line = '']) => {
    if (kind === 'subject') return []
    const [, , ...subjects] = rows.find((row) => row[0] === language && row[1] === 'subject') ?? []
    return Array.from({ length: COPIES }, (_, at) => {
      const shown = pick(random, CODES)(random)
      const text = line.replaceAll('\\n', '\n').replace('#', shown)
      const html = at % 3 === 0 ? null : readHtml(paragraph(text))
      return {
        ...{ file: `one-liner ${line}`, group: 'one-liners', language },
        input: { subject: pick(random, subjects) || null, text: at % 3 === 1 ? null : text, html },
        otp: kind === 'code' ? shown.replaceAll(/[- ]/g, '') : null,
        ...{ weight: LABEL_WEIGHT, isVariation: true },
      }
    })
  })
}

const digits = (count: number) => (random: () => number) =>
  Array.from({ length: count }, () => Math.floor(random() * 10)).join('')

const letters = (count: number) => (random: () => number) =>
  Array.from({ length: count }, (_, at) =>
    at === 1 ? digits(1)(random) : pick(random, [...'ABCDEFGHJKLMNPQRSTUVWXYZ23456789']),
  ).join('')

const groups = (separator: string) => (random: () => number) =>
  [digits(3)(random), digits(3)(random)].join(separator)

/** Forms of codes; the usual ones more than once. */
const CODES = [
  ...[digits(6), digits(6), digits(6), digits(6), digits(6), digits(4), digits(4), digits(5)],
  ...[digits(7), digits(8), letters(6), letters(6), letters(8), groups('-'), groups(' ')],
]

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
      isVariation: false,
    }
  })
}
