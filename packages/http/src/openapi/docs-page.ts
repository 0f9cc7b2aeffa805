/** The page that people read: every route of the table, rendered here and complete without a script. */
import { hash } from 'node:crypto';
import * as z from 'zod';
import { ERROR_STATUS } from '../refusal.ts';
import type { RouteFacts } from '../route/route.ts';
import type { ApiTable } from './openapi.ts';
import { tagOf, whoSentence } from './openapi.ts';

const STYLE = `:root{color-scheme:light dark;--line:light-dark(#d5dae1,#39424e);--soft:light-dark(#f4f6f8,#1b2129);--link:light-dark(#1a4fb4,#9cc2ff)}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem 1.25rem 4rem}
body{background:light-dark(#fff,#12161c);color:light-dark(#1b1f26,#e8ebf0);overflow-wrap:anywhere}a{color:var(--link)}
nav{display:flex;flex-wrap:wrap;gap:.25rem .75rem}h2{margin-top:2.5rem;text-transform:capitalize}
article{border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem;margin:.75rem 0}
h3{margin:0;font-size:1rem}code{background:var(--soft);padding:.1em .3em;border-radius:.25rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.9rem}td:nth-child(2){white-space:nowrap}
th,td{text-align:left;vertical-align:top;border-top:1px solid var(--line);padding:.3rem .5rem .3rem 0}
p{margin:.4rem 0}`;

/** What the page may load: its own style and nothing else. */
export const DOCS_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The HTML of the page. */
export function docsPageOf({ prefix, toolset, heading, note, routes }: ApiTable): string {
  const nouns = [...new Set(routes.map(tagOf))];
  const links = nouns.map((noun) => `<a href="#${noun}">${noun}</a>`).join('');
  const sections = nouns.map((noun) =>
    sectionOf(
      toolset,
      noun,
      routes.filter((route) => tagOf(route) === noun),
    ),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${heading}</title><style>${STYLE}</style></head><body>
<header><h1>${heading}</h1>
<p>Everything is below <code>${prefix}</code>, JSON in and out. Send <code>Authorization: Bearer &lt;key&gt;</code> with an API key of a team member. The same as <a href="${prefix}/openapi.json">OpenAPI 3.1</a>.</p>
<p>Answers are <code>{"data"}</code>; pages add <code>{"pagination": {"cursor", "hasMore", "total"}}</code>, also below <code>meta</code>; errors are <code>{"error": {"code", "message", "fields", "details"}, "message"}</code>. ${note}</p>
<p>A POST with an <code>Idempotency-Key</code> is safe to repeat for 24 hours. GET answers carry an <code>ETag</code>; send it back as <code>If-None-Match</code> (304) or, with PATCH and DELETE, as <code>If-Match</code> (412).</p>
<nav aria-label="Nouns">${links}<a href="#errors">errors</a></nav></header>
<main>
${sections.join('\n')}
${errorSection()}
</main></body></html>
`;
}

function sectionOf(toolset: string, noun: string, routes: readonly RouteFacts[]): string {
  return `<section><h2 id="${noun}">${noun}</h2>\n${routes.map((route) => articleOf(toolset, route)).join('\n')}</section>`;
}

function articleOf(toolset: string, route: RouteFacts): string {
  const { answer } = route;
  return `<article><h3><code>${route.method} ${escaped(route.path)}</code> ${escaped(route.summary)}</h3>
<p>${escaped(whoSentence(toolset, route)).replaceAll(/`([^`]+)`/g, '<code>$1</code>')} Answers ${answer.status}, ${contentOf(answer)}.</p>
${fieldsOf('Query', route.query)}${fieldsOf('Body', route.body)}</article>`;
}

function contentOf({ kind, item }: RouteFacts['answer']): string {
  if (kind === 'stream' || kind === 'feed') return 'an event stream';
  if (item === undefined) return 'no body';
  return kind === 'one' || kind === 'bare' ? item.name : `a list of ${item.name}`;
}

function fieldsOf(title: string, shape: z.ZodType | undefined): string {
  if (shape === undefined) return '';
  // Query and body are objects, whose schemas have these two.
  const { properties = {}, required = [] } = z.toJSONSchema(shape, { io: 'input' }) as {
    properties?: Record<string, { description?: string }>;
    required?: string[];
  };
  const rows = Object.entries(properties).map(([name, { description = '' }]) => {
    const need = required.includes(name) ? 'required' : 'optional';
    return `<tr><td><code>${escaped(name)}</code></td><td>${need}</td><td>${escaped(description)}</td></tr>`;
  });
  return `<table><thead><tr><th scope="col">${title}</th><th scope="col"></th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function errorSection(): string {
  const rows = Object.entries(ERROR_STATUS).map(
    ([code, status]) => `<tr><td><code>${code}</code></td><td>${status}</td></tr>`,
  );
  return `<section><h2 id="errors">errors</h2><table><thead><tr><th scope="col">Code</th><th scope="col">Status</th></tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}
