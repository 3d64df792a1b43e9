// Written by bench/fit-codes.ts --calibrate: do not edit.

/** Probabilities and how often they are right on left-out batches, in thousandths. */
export const CALIBRATION: readonly (readonly [number, number])[] = [
  [0, 0],
  [450, 431],
  [707, 659],
  [875, 889],
  [952, 967],
  [982, 988],
  [999, 999],
  [1000, 1000],
]
