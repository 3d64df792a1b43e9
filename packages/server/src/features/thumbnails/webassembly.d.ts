// The part of WebAssembly that codecs.ts uses. TypeScript has its types among those of browsers
// only.

declare namespace WebAssembly {
  type Imports = Record<string, unknown>
  type Exports = Record<string, unknown>

  class Module {
    constructor(bytes: Uint8Array)
    static imports(module: Module): readonly { readonly name: string }[]
  }

  class Instance {
    constructor(module: Module, imports: Imports)
    readonly exports: Exports
  }

  class Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
}
