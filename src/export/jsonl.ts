import type { Exporter } from "./Exporter.ts"

/** The archive as one JSONL text: a first line `{"kind":"manifest","manifest":{...}}`, then each event as it stands in the log, with its chain_hash. */
export const jsonl = (): Exporter => ({
  begin: (manifest) => `${JSON.stringify({ kind: "manifest", manifest })}\n`,
  event: (_event, line) => `${line}\n`,
  end: () => ""
})
