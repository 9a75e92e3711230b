export const runCli = (): void => {}
