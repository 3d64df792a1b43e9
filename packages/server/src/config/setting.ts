import { BlockList, isIPv6 } from 'node:net'
import { z } from 'zod'

/** One setting: what it may be, what it is when unset, and what it does. */
export type Setting = {
  readonly schema: z.ZodType<unknown, string>
  readonly default: string
  /** The kind of value, for the table of settings. */
  readonly type: string
  readonly sentence: string
}

/** A setting whose value is read by a schema. */
export const setting = <Schema extends z.ZodType<unknown, string>>(
  schema: Schema,
  about: Omit<Setting, 'schema'>,
) => ({ schema, ...about })

/** A text that is not empty. */
export const text = z.string().min(1)
/** A text, or null when it is empty. */
export const optionalText = z.string().transform((value) => (value === '' ? null : value))
/** `true` or `false`. */
export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true')
/** A port; 0 is any free one. */
export const port = wholeNumber(0, 65_535)
/** Items between commas. */
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
/** Domain names, lowered. */
export const domains = list
  .transform((names) => names.map((name) => name.toLowerCase()))
  .refine((names) => names.every((name) => HOST_NAME.test(name)), {
    error: 'must be domain names, separated by commas',
  })

/** Addresses and networks. */
export const networks = list.refine((items) => items.every(isNetwork), {
  error: 'must be addresses or networks as 10.0.0.0/8, separated by commas',
})

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error })
}

function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/')
  try {
    const type = isIPv6(address) ? 'ipv6' : 'ipv4'
    const block = new BlockList()
    if (bits === undefined) block.addAddress(address, type)
    else block.addSubnet(address, /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN, type)
    return true
  } catch {
    return false
  }
}
