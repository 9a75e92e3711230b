import * as Schema from "effect/Schema"
import { type EventKind, payloads } from "../domain/event.ts"

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
