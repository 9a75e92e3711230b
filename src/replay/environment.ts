import type { ProviderIsolation } from "../providers/ProviderIsolation.ts"

/**
 * What every program needs to find others, to speak the user's language, to reach the network, and to find toolchains that a user keeps in another
 * place than the usual one. Everything else of the user's environment stays outside: it may lead to settings, memory or sessions of the user.
 */
const needed =
  /^(PATH|LANG|LANGUAGE|LC_\w+|TZ|TERM|USER|LOGNAME|SHELL|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|JAVA_HOME|GOROOT|GOPATH|CARGO_HOME|RUSTUP_HOME|NVM_DIR|PYENV_ROOT|LINT_AI_HOOK_TIMEOUT_MS|SYSTEMROOT|SystemRoot|WINDIR|windir|COMSPEC|ComSpec|PATHEXT|ProgramFiles|ProgramData)$/

/** Tells of nothing that is the user's alone, so that nobody needs to read that it passes. */
const unremarkable =
  /^(PATH|LANG|LANGUAGE|LC_\w+|TZ|TERM|USER|LOGNAME|SHELL|S[yY][sS]\w+|W\w+|w\w+|C[oO][mM]\w+|PATHEXT|Program\w+)$/

/**
 * The part of an environment that reaches an isolated agent.
 *
 * @param more names of further variables that pass
 * @returns the variables; and the names of those that a person should know of, in their order
 */
export const passedEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  isolation: Pick<ProviderIsolation, "passes">,
  more: ReadonlyArray<string>
): { readonly env: Readonly<Record<string, string>>; readonly named: ReadonlyArray<string> } => {
  const passed = Object.entries(env).flatMap(
    ([name, value]): ReadonlyArray<readonly [string, string]> =>
      value !== undefined && (needed.test(name) || more.includes(name) || isolation.passes(name, env))
        ? [[name, value]]
        : []
  )
  return {
    env: Object.fromEntries(passed),
    named: passed.flatMap(([name]) => (unremarkable.test(name) ? [] : [name])).sort()
  }
}

/**
 * Where the place is, and whose key and state its recording uses. Hooks of Git are off in all that the agent does, for they would act on the world as the
 * user's own commits do.
 */
export const placeEnvironment = (place: {
  readonly home: string
  readonly temporary: string
  readonly userDirectories: { readonly config: string; readonly state: string }
}): Readonly<Record<string, string>> => ({
  HOME: place.home,
  USERPROFILE: place.home,
  TMPDIR: place.temporary,
  TEMP: place.temporary,
  TMP: place.temporary,
  LINT_AI_CONFIG_DIR: place.userDirectories.config,
  LINT_AI_STATE_DIR: place.userDirectories.state,
  // What `git -c` sets. GIT_CONFIG_KEY_0 and its like hold a word for which some agents keep a variable from their tools.
  GIT_CONFIG_PARAMETERS: "'core.hooksPath=/dev/null'",
  GIT_TERMINAL_PROMPT: "0"
})
