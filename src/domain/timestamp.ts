import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

const canonical = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * RFC 3339 in UTC with milliseconds, as written; the forms that older recorders wrote are read too: `unix:<seconds>` and RFC 3339
 * without or with another fraction or offset.
 */
export const Timestamp = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String.check(Schema.isPattern(canonical, { message: "expected an RFC 3339 time or unix:<seconds>" })),
    SchemaTransformation.transform({ decode: (raw) => modernise(raw), encode: (text) => text })
  )
)

const modernise = (raw: string): string => {
  if (canonical.test(raw)) return raw
  const time = raw.startsWith("unix:") ? Number(raw.slice(5)) * 1000 : Date.parse(raw)
  // The range that a Date can hold; outside of it toISOString throws.
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : raw
}

/** The text form of milliseconds since 1970. */
export const timestampOf = (milliseconds: number): string => new Date(milliseconds).toISOString()
