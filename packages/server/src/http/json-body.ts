// The JSON of request bodies. It is parsed and checked on the API's thread, and not only its length
// counts: 256 KiB of small objects take up to 170 ms.

import { z } from 'zod'
import { ServiceError } from '../errors.ts'

/** The schema of a call without a body; an empty object counts as none. */
export const NO_BODY = z.strictObject({}).prefault({})

/** Values of a body: twice as many as the largest valid one has, with all its assertions. */
const VALUES_MAX = 5_000

/** Arrays and objects in each other: valid bodies have five. */
const DEPTH_MAX = 50

/** Whether parsing a text of JSON takes long. Says nothing about whether it is valid. */
export function isCostlyJson(json: string): boolean {
  let values = 0
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const char = json[at]
    if (char === '"') at = stringEnd(json, at)
    else if (char === ',') values += 1
    else if (char === ']' || char === '}') depth -= 1
    else if (char === '[' || char === '{') {
      values += 1
      depth += 1
    }
    if (values > VALUES_MAX || depth > DEPTH_MAX) return true
  }
  return false
}

/** The position of the closing quote. */
function stringEnd(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

/** The error for a body that takes too long to parse. */
export function costlyJson(): ServiceError {
  return new ServiceError('invalid_parameter', {
    message: `body: must have at most ${VALUES_MAX} values and ${DEPTH_MAX} levels`,
  })
}

/** The error for a body that Fastify's parser refuses, whose own error names no position. */
export function invalidJson(body: string): ServiceError {
  try {
    JSON.parse(body)
    return new ServiceError('invalid_json', {
      message: 'The body must not have a property __proto__, or constructor with prototype in it.',
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return new ServiceError('invalid_json', { message: `The body is not valid JSON: ${reason}` })
  }
}
