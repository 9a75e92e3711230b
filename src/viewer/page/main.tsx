import { render } from "preact"
import type { SessionOutline } from "../document.ts"
import { readBlock } from "./blocks.ts"
import { SessionView } from "./SessionView.tsx"

const root = document.getElementById("page")
const outline = readBlock("session") as SessionOutline | undefined
if (root !== null && outline !== undefined) render(<SessionView outline={outline} />, root)
