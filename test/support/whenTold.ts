/** Another answer of a fake model, for when its request holds certain words: what was injected, or what it was told before. */
export interface Told {
  readonly words: string
  readonly text: string
}

/** The answer for a request: the other one where the request holds its words, wherever. */
export const whenTold = <Reply extends { readonly told?: Told }>(reply: Reply, request: unknown): Reply =>
  reply.told !== undefined && JSON.stringify(request).includes(reply.told.words)
    ? { ...reply, text: reply.told.text }
    : reply
