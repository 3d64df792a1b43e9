import { visibleText } from '../format.ts'

/** A text of a sender: it changes neither the order nor the direction of the text around it. */
export function Sent({ text }: { readonly text: string }) {
  return <bdi>{visibleText(text)}</bdi>
}
