// Written by bench/fit-codes.ts --calibrate: do not edit.

/** Probabilities by the weights, and how often they are right on left-out batches. */
export const CALIBRATION: readonly (readonly [number, number])[] = [
  [0, 0],
  [0.4, 0.367],
  [0.596, 0.57],
  [0.749, 0.727],
  [0.836, 0.864],
  [0.898, 0.905],
  [0.952, 0.967],
  [0.979, 0.98],
  [0.991, 0.996],
  [0.999, 1],
  [1, 1],
]
