import type { SimpleGit } from "simple-git"

/**
 * Settings that switch off the filters which the repository's own settings name, as Git's `-c` takes them. A filter is a command, and Git starts it
 * wherever it looks into a changed file; those of the user's own settings stay, as Git LFS.
 *
 * @returns nothing where there is no repository; throws for a filter whose name holds what `-c` cannot say
 */
export const withoutOwnFilters = async (git: SimpleGit): Promise<ReadonlyArray<string>> => {
  // Fails where there is none.
  const asked = ["config", "--show-scope", "--name-only", "-z", "--get-regexp", "^filter\\."]
  const words = (await git.raw(asked).catch(() => "")).split("\0")
  const names = new Set<string>()
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope, key = ""] = [words[at], words[at + 1]]
    if (scope === "local" || scope === "worktree") names.add(key.slice(0, key.lastIndexOf(".")))
  }
  return [...names].flatMap((name) => {
    if (/[=\n]/.test(name))
      throw new Error(`the repository's settings hold a filter with a name that cannot be switched off`)
    return [`${name}.clean=`, `${name}.smudge=`, `${name}.process=`, `${name}.required=false`]
  })
}
