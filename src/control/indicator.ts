/** The state of one agent in a project in a few characters: `Lint-AI:ON | Record:OFF`. Lint-AI is the memory. */
export const indicator = (toggles: { readonly memory: boolean; readonly recording: boolean }): string =>
  `Lint-AI:${onOff(toggles.memory)} | Record:${onOff(toggles.recording)}`

const onOff = (on: boolean): string => (on ? "ON" : "OFF")
