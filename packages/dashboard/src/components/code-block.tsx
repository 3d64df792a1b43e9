import { CopyButton } from './controls.tsx'

/** Text to copy as it is: a command, a record, a configuration. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} what={label} />
    </div>
  )
}
