import { z } from 'zod'

/** An object whose names may be written in any case, as the JSON of programs in Go may. */
export function anyCase<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]))
  const rename = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value)
    return Object.fromEntries(
      entries.map(([name, one]) => [names.get(name.toLowerCase()) ?? name, one]),
    )
  }
  return z.preprocess(rename, z.object(shape))
}
