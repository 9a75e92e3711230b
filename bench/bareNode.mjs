/** The least that a process of Node does. Costs are given as ratios to it in the same run: machines differ, and are shared. */
export const bareNode = { name: "node -e 0", command: process.execPath, args: ["-e", "0"] }
