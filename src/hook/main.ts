export const runHook = (): void => {}
