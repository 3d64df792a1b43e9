// What codecs.ts uses of WebAssembly. TypeScript has its types among those of browsers only.

declare namespace WebAssembly {
  type Imports = Record<string, unknown>
  type Exports = Record<string, unknown>

  class Module {
    constructor(bytes: Uint8Array)
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
