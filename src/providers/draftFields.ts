import * as Schema from "effect/Schema"
import { type DraftEvent, type EventKind, payloads } from "../domain/event.ts"

/**
 * An event's payload out of values that came from outside; undefined when a field that the kind needs is missing or of another type.
 * Other fields that do not fit are left out.
 */
export const contentOf = (
  kind: EventKind,
  values: Iterable<readonly [field: string, value: unknown]>
): Record<string, unknown> | undefined => {
  const schema = payloads[kind]
  const schemas: Readonly<Record<string, Schema.Top>> = schema.fields
  const content: Record<string, unknown> = {}
  for (const [field, value] of values) {
    if (value !== undefined && schemas[field] !== undefined && Schema.is(schemas[field])(value)) content[field] = value
  }
  return Schema.is(schema as Schema.Top)(content) ? content : undefined
}

/** A payload as JSON text. What is nested deeper than JSON.stringify can go is told by its plain fields. */
export const textOf = (payload: Readonly<Record<string, unknown>>): string => {
  try {
    return JSON.stringify(payload)
  } catch {
    return JSON.stringify(Object.entries(payload).filter(([, value]) => typeof value !== "object"))
  }
}

/** What the rows of the providers' tables say about the identity of an event. */
export interface IdentityRow {
  /** A word for what is named and the payload fields that name it; "payload" where no ids do. */
  readonly identity: "payload" | readonly [word: string, ...fields: ReadonlyArray<string>]
  readonly scope?: "run"
}

/**
 * The identity of a delivery by its row: the ids where all of them are there, else the whole payload.
 *
 * @param process of the agent, for what every run sends again: a run that was killed has no session_end to count, and the next one has another process
 */
export const identityOf = (
  row: IdentityRow,
  payload: Readonly<Record<string, unknown>>,
  process: string | undefined
): Pick<DraftEvent, "identity" | "scope"> => {
  const [word, ...fields] = row.identity === "payload" ? [] : row.identity
  const parts = fields
    .map((field) => payload[field])
    .filter((part) => typeof part === "string" || typeof part === "number")
  const named = word !== undefined && parts.length === fields.length
  const identity = named ? [word, ...parts.map(String)] : ["payload", textOf(payload)]
  if (row.scope === "run") {
    return { identity: process === undefined ? identity : [...identity, process], scope: row.scope }
  }
  // The same question may be asked twice in one turn, and nothing in the payload tells the two apart.
  return named ? { identity } : { identity, scope: "recent" }
}

/** The content of an event by its row: each field from a field of the payload, by name, or from a function of the payload. */
export const mappedContent = <P extends Readonly<Record<string, unknown>>>(
  row: { readonly kind: EventKind; readonly fields: Readonly<Record<string, string | ((payload: P) => unknown)>> },
  payload: P
): Record<string, unknown> | undefined =>
  contentOf(
    row.kind,
    Object.entries(row.fields).map(([field, source]) => [
      field,
      typeof source === "string" ? payload[source] : source(payload)
    ])
  )
