/** The script and the style of all pages, each one text. */
export interface PageAssets {
  readonly script: string
  readonly style: string
}

/**
 * The script and the style of all pages.
 *
 * This module is the one of a checkout, where it builds them from src/viewer/page. scripts/build.mjs puts another one in its place that holds them
 * as two strings, so that what is shipped reads no file for them.
 */
export const loadPageAssets = async (): Promise<PageAssets> => {
  const { pageAssets } = await import("../../scripts/pageAssets.mjs")
  return pageAssets("viewer")
}
