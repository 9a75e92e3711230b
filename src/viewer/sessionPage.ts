import type { SessionDocument } from "./document.ts"
import { htmlPage } from "./htmlPage.ts"
import type { PageAssets } from "./pageAssets.ts"

/** Ids of the blocks in which a page of a session has its data. */
const outlineId = "session"
const chunkId = (position: number): string => `events-${position}`

/** The page of a session as one HTML file. */
export const sessionPage = (document: SessionDocument, assets: PageAssets): string =>
  htmlPage({
    title: `${document.outline.card.session_id} · lint-ai`,
    assets,
    blocks: [
      { id: outlineId, data: document.outline },
      ...document.chunks.map((data, position) => ({ id: chunkId(position), data }))
    ]
  })
