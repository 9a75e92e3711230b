import type { HookProgram } from "../providers/hookCommand.ts"

/**
 * Whether a program lies where package runners keep what they fetch: npx; pnpm dlx, yarn dlx and bunx; Deno's cache of npm packages. Such a place may be
 * emptied at any time, and hooks that start a program in it then do nothing, without a word.
 */
export const isInPackageCache = ({ file, args }: HookProgram): boolean =>
  /[\\/](_npx|dlx|dlx-[^\\/]*|bunx-[^\\/]*|npm[\\/][^\\/]+[\\/]lint-ai[\\/]\d[^\\/]*)[\\/]/.test(
    [file, ...args].join(" ")
  )
