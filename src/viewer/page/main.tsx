import { render } from "preact"
import type { ComparisonDocument } from "../comparisonDocument.ts"
import type { SessionOutline } from "../document.ts"
import { readBlock } from "./blocks.ts"
import { ComparisonView } from "./ComparisonView.tsx"
import { SessionView } from "./SessionView.tsx"

// The page is what its data is: of a session, or of a comparison.
const root = document.getElementById("page")
const outline = readBlock("session") as SessionOutline | undefined
const comparison = readBlock("comparison") as ComparisonDocument | undefined
if (root !== null && outline !== undefined) render(<SessionView outline={outline} />, root)
else if (root !== null && comparison !== undefined) render(<ComparisonView comparison={comparison} />, root)
