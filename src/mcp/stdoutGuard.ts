// The first import of the server: from here on stdout carries the protocol and nothing else. Whatever a library or a forgotten line prints goes to
// stderr, where it does not end a client's session.
const { stdout, stderr } = process
const write = stdout.write.bind(stdout)
stdout.write = stderr.write.bind(stderr)
// Bun's console does not go through process.stdout.
for (const method of [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "timeLog",
  "count"
] as const) {
  console[method] = (...args: ReadonlyArray<unknown>) => console.error(...args)
}

/** Writes to the real stdout; calls back when the system has taken the bytes, with whether it did. */
export const writeProtocol = (bytes: Uint8Array, done: (taken: boolean) => void): void => {
  write(bytes, (error) => done(error === null || error === undefined))
}
