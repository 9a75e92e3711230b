/** How places in a payload are named in `redactions` and `truncated`: `payload.response.output`, `payload.env[3]`, `payload["odd key"]`. */
const plainKey = /^[A-Za-z_$][\w$-]{0,63}$/

export const childPath = (path: string, key: string): string => {
  if (plainKey.test(key)) return path === "" ? key : `${path}.${key}`
  return `${path}[${JSON.stringify(key.length > 64 ? `${key.slice(0, 63)}…` : key)}]`
}

export const itemPath = (path: string, index: number): string => `${path}[${index}]`
