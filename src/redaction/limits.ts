/** How much of a value is looked at. Counted in characters (UTF-16 units), so that a limit never depends on how fast the machine is. */
export interface RedactionLimits {
  /** A longer string is scanned at its head and its tail; what is between becomes `[REDACTED:unscanned]`. */
  readonly stringLength: number
  /** Characters scanned in one value (one event); the strings behind that become `[REDACTED:unscanned]`. */
  readonly totalLength: number
  /** Work of the recognisers per scanned character, a bound for texts made to be slow. Ordinary text needs 2 to 6. */
  readonly workPerCharacter: number
  /** Nesting of arrays and objects; what lies deeper becomes `[REDACTED:unscanned]`. */
  readonly depth: number
}

/** What a recorder uses: strings are cut to 64 KiB at most afterwards, so their middles are not worth the time. */
export const defaultLimits: RedactionLimits = {
  stringLength: 256 * 1024,
  totalLength: 8 * 1024 * 1024,
  workPerCharacter: 48,
  depth: 512
}

/** What a person's own file is cleaned with: everything is looked at, however long it takes. */
export const wholeTextLimits: RedactionLimits = {
  stringLength: Number.POSITIVE_INFINITY,
  totalLength: Number.POSITIVE_INFINITY,
  workPerCharacter: 48,
  depth: 512
}

/** How far a secret that is kept in one piece may reach over the end of the scanned head, or before the scanned tail: 16 KiB. */
export const overlap = 16 * 1024
