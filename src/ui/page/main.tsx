import { render } from "preact"
import { ProjectView } from "./ProjectView.tsx"

const root = document.getElementById("page")
if (root !== null) render(<ProjectView />, root)
