import type { PageAssets } from "../viewer/pageAssets.ts"

/** The script and the style of the page of a project; as those of the viewer's pages are (src/viewer/pageAssets.ts). */
export const loadPageAssets = async (): Promise<PageAssets> => {
  const { pageAssets } = await import("../../scripts/pageAssets.mjs")
  return pageAssets("ui")
}
