/** How the model is trained. */
export interface Settings {
  readonly epochs: number
  /** Steps of weights, and of the numbers of features. */
  readonly rate: number
  readonly layerRate: number
  /** Share of the features, other than forms and styles, that a step does without. */
  readonly drop: number
  /** Shares of the steps without any words, and without any meanings. */
  readonly dropWords: number
  readonly dropMeanings: number
  /** Without the hidden layer it is a linear ranker. */
  readonly hasLayer: boolean
}

/** As the model of the repository is trained. */
export const SETTINGS: Settings = {
  epochs: 12,
  rate: 0.15,
  layerRate: 0.05,
  drop: 0.5,
  dropWords: 0.2,
  dropMeanings: 0.2,
  hasLayer: true,
}
