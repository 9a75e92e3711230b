import { effect, signal } from "@preact/signals"

export type Theme = "light" | "dark"

/** Undefined: as the system has it. */
const chosen = signal<Theme | undefined>(undefined)
const system = matchMedia("(prefers-color-scheme: dark)")
const systemTheme = signal<Theme>(system.matches ? "dark" : "light")

export const theme = {
  get current(): Theme {
    return chosen.value ?? systemTheme.value
  },
  toggle: (): void => {
    chosen.value = (chosen.peek() ?? systemTheme.peek()) === "dark" ? "light" : "dark"
  }
}

system.addEventListener("change", () => {
  systemTheme.value = system.matches ? "dark" : "light"
})
effect(() => {
  document.documentElement.dataset.theme = chosen.value ?? systemTheme.value
})
