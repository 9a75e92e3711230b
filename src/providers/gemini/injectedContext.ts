/**
 * What hooks of SessionStart gave as context stands in front of the prompt of `-p`, in this form, and in the session file as well. Angle
 * brackets inside are escaped by the agent (0.61.0), so the first closing tag is the end.
 */
const injected = /^(?:<hook_context>[^<]*<\/hook_context>\n\n)+/

/** A prompt as the user wrote it. */
export const withoutContext = (prompt: unknown): unknown =>
  typeof prompt === "string" ? prompt.replace(injected, "") : prompt
