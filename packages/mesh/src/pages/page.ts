/** How pages of the management look, and what a browser may do on them: show them and send their form. */
import { hash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --page: #f7f7f9; --card: #fff; --line: #d5d7e0; --text: #1c1d24; --soft: #5b5e6d;
  --accent: #4a45c9; --accent-text: #fff; --bad: #fdecec; }
@media (prefers-color-scheme: dark) {
  :root { --page: #121318; --card: #1b1c23; --line: #3a3c48; --text: #ececf1; --soft: #a6a9b8; --accent: #a9a5ff;
    --accent-text: #14131f; --bad: #3a1d1d; }
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; color: var(--soft); }
form, .card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; display: grid; gap: .9rem; }
label { display: grid; gap: .3rem; font-weight: 600; }
label span { font-weight: 400; color: var(--soft); font-size: .9rem; }
input { font: inherit; font-weight: 400; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .7rem; width: 100%; min-height: 2.75rem; }
button { font: inherit; font-weight: 600; background: var(--accent); color: var(--accent-text); border: 0; border-radius: .5rem; padding: .7rem 1rem; min-height: 2.75rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.wrong { background: var(--bad); color: var(--text); border-radius: .5rem; padding: .7rem .9rem; margin: 0 0 1rem; }
.next { margin-top: 1rem; }
code { font: .95rem/1.5 ui-monospace, monospace; user-select: all; }
summary { cursor: pointer; min-height: 1.75rem; }
`;

const SHOWN = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the browser may do on a page whose form is answered here. */
export const PAGE_POLICY = `${SHOWN}; form-action 'self'`;

/** The same for a form whose answer leads to another site, which browsers count as part of the form. */
export const LEADING_POLICY = SHOWN;

/** What somebody sees whose link does not work. */
export function problemPage(
  title: string,
  message: string,
  instead?: { readonly path: string; readonly text: string },
): string {
  const link =
    instead === undefined
      ? ''
      : `<p><a href="${escapeHtml(instead.path)}">${escapeHtml(instead.text)}</a></p>`;
  return pageOf(title, `<p>${escapeHtml(message)}</p>${link}`);
}

/** A page around what it shows; the title is text, the rest is HTML. */
export function pageOf(title: string, main: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${main}
</main></body></html>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text that stands for itself in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
