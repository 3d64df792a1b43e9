import { CALIBRATION } from './calibration-table.ts'

/** How often a probability is right on mails that the weights were not fitted to. */
export function calibrated(probability: number): number {
  return interpolate(CALIBRATION, probability * 1000) / 1000
}

/** The value of a rising table at a position, between its entries in proportion. */
export function interpolate(
  table: readonly (readonly [number, number])[],
  position: number,
): number {
  let [x0, y0] = [0, 0]
  for (const [x1, y1] of table) {
    if (position <= x1) return x1 === x0 ? y1 : y0 + ((y1 - y0) * (position - x0)) / (x1 - x0)
    ;[x0, y0] = [x1, y1]
  }
  return y0
}
