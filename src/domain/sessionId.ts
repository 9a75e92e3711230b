import * as Schema from "effect/Schema"
import { type Provider, Provider as ProviderSchema } from "./provider.ts"

/**
 * `<provider>:<id>`, where the id is the provider's own, or a local one where it gave none. The id is any text: it comes from outside.
 * Older recorders wrote the raw id, which readers take as it is.
 */
export const SessionId = Schema.String.pipe(Schema.check(Schema.isNonEmpty()), Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

export const sessionId = (provider: Provider, id: string): SessionId => SessionId.make(`${provider}:${id}`)

/** The provider that an id names; undefined for a raw id. */
export const providerOf = (id: string): Provider | undefined => {
  const name = id.slice(0, Math.max(0, id.indexOf(":")))
  return Schema.is(ProviderSchema)(name) ? name : undefined
}
