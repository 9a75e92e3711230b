import type { ComparisonDocument } from "./comparisonDocument.ts"
import { htmlPage } from "./htmlPage.ts"
import type { PageAssets } from "./pageAssets.ts"

/** The page of a comparison as one HTML file. */
export const comparisonPage = (document: ComparisonDocument, assets: PageAssets): string =>
  htmlPage({
    title: `${document.kind === "experiment" ? "Experiment " : ""}${document.title} · lint-ai`,
    assets,
    blocks: [{ id: "comparison", data: document }]
  })
