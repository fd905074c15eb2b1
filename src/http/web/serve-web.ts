import { Hono } from 'hono';
import { html } from 'hono/html';
import type { WebFile, WebFiles } from './web-files.ts';

/** The addresses of the dashboard's views. Each answers the same page, which then shows the view. */
const VIEWS = /^\/(?:(?:capabilities|inbox|runs|tools|servers|agents|graph|playground)(?:\/.*)?)?$/;

/** Nothing may be loaded from other origins, and inline scripts are forbidden. */
const CSP = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** The headers of everything that a browser may show. */
export const SAFETY_HEADERS = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** The spans of the overview. */
const SPANS: readonly string[] = ['24h', '7d', '30d'];

const A_YEAR = 'public, max-age=31536000, immutable';

/** Serves the built dashboard: its page at every address of a view, and its files, whose names hold their hash. */
export function serveWeb(files: WebFiles): Hono {
  const app = new Hono();
  app.get('*', (c, next) => {
    const accepted = c.req.header('accept-encoding') ?? '';
    const { path } = c.req;
    if (VIEWS.test(path)) {
      const page = files.page(accepted);
      const link = linksOf(new URL(c.req.url));
      if (page) return Promise.resolve(answerFile(page, 'no-cache', { link }));
      return Promise.resolve(c.html(notBuilt(), 503, SAFETY_HEADERS));
    }
    const file = files.read(decodeName(path), accepted);
    if (!file) return next().then(() => undefined);
    return Promise.resolve(answerFile(file, path.startsWith('/assets/') ? A_YEAR : 'no-cache'));
  });
  return app;
}

/** Names the requests that the page makes first, so that the browser makes them while it still loads the script. */
function linksOf(url: URL): string {
  return ['/session', ...firstReads(url)]
    .map((address) => `</api/v1${address}>; rel=preload; as=fetch; crossorigin`)
    .join(', ');
}

/** The first reads of the view at an address, spelt as in `web/src/api/client.ts`. Only for views with slow queries. */
function firstReads({ pathname, search, searchParams }: URL): string[] {
  if (pathname === '/') {
    const since = searchParams.get('since');
    return [`/overview?since=${since !== null && SPANS.includes(since) ? since : '24h'}`];
  }
  return pathname === '/capabilities' && search === '' ? ['/capabilities?limit=100'] : [];
}

function answerFile(
  { type, content, encoding }: WebFile,
  caching: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(content, {
    headers: {
      ...SAFETY_HEADERS,
      ...headers,
      'content-type': type,
      'cache-control': caching,
      vary: 'accept-encoding',
      ...(encoding && { 'content-encoding': encoding }),
    },
  });
}

function decodeName(path: string): string {
  try {
    return decodeURIComponent(path.slice(1));
  } catch {
    return '';
  }
}

function notBuilt() {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>PML</title></head>
<body>
<h1>The dashboard is not built</h1>
<p>Run <code>npm run web</code> in the folder of PML, then load this page again. MCP is served at <code>/mcp</code>.</p>
</body>
</html>`;
}
