import { readFile } from 'node:fs/promises'

/** What arethetypeswrong finds in a packed package: ways to import it that have wrong types. */
export async function typeProblems(tarball: string): Promise<readonly string[]> {
  // Loaded here: most runs find a result that was kept.
  const core = await import('@arethetypeswrong/core')
  const data = new Uint8Array(await readFile(tarball))
  const result = await core.checkPackage(core.createPackageFromTarballData(data))
  return result.types === false
    ? ['the package has no types']
    : result.problems.map((problem) => JSON.stringify(problem))
}

/** The mistakes that publint finds in the manifest of a packed package. */
export async function manifestMistakes(tarball: string): Promise<readonly string[]> {
  const { publint } = await import('publint')
  const { formatMessage } = await import('publint/utils')
  const { buffer } = new Uint8Array(await readFile(tarball))
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true })
  return messages.map((message) => formatMessage(message, pkg) ?? message.code)
}
