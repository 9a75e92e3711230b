import { contentPolicy, escapeHtml } from "../viewer/htmlPage.ts"
import type { PageAssets } from "../viewer/pageAssets.ts"

/** What the page may do: what pages of sessions may, and ask its own server. */
export const uiPolicy = (assets: PageAssets): string =>
  `${contentPolicy(assets)}; connect-src 'self'; frame-ancestors 'none'`

/** The page of a project. It holds no data: it asks for it. */
export const uiPage = (assets: PageAssets): string =>
  [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
    '<meta name="color-scheme" content="light dark">\n',
    `<title>lint-ai</title>\n<style>${assets.style}</style>\n</head>\n`,
    '<body>\n<div id="page"></div>\n',
    "<noscript><p>This page asks for its data with a script of its own. Allow scripts for this address.</p></noscript>\n",
    `<script>${assets.script}</script>\n</body>\n</html>\n`
  ].join("")

/**
 * What a browser gets that was let in: it goes on to the page by itself. A redirection would be followed in the name of whoever opened the address, and
 * where that was a page (a terminal in the browser) the cookie would not be sent.
 */
export const entrance = (target: string): string =>
  `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="refresh" content="0;url=${escapeHtml(target)}">\n<title>lint-ai</title>\n</head>\n<body><a href="${escapeHtml(target)}">lint-ai</a></body>\n</html>\n`
