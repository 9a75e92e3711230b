/** Name of the events with which a replay opens and closes its archive (converse.ts): where its agent works, and how its program ended. */
export const replayEventName = "replay"
