import { visibleText } from '../format.ts'
import { markWords } from '../mark-words.ts'
import { markedWords } from '../state/rows.ts'

/** A text of a sender with the words marked that were searched for. */
export function Marked({ text: sent }: { readonly text: string }) {
  const text = visibleText(sent)
  const words = markedWords.value
  if (words.length === 0) return <>{text}</>
  return (
    <>
      {markWords(text, words).map((part, index) =>
        part.isMatch ? <mark key={index}>{part.text}</mark> : part.text,
      )}
    </>
  )
}
