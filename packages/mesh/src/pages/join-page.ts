/** The page behind an invitation: what it offers, the form, and the key at the end. It needs no script. */
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

/** What the browser may do on this page: show it and send its form. */
export const JOIN_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What was typed before, and why it did not do. */
export interface Retry {
  readonly message: string;
  readonly name: string;
  readonly email: string;
  /** True when a key of the person has to be shown. */
  readonly needsKey: boolean;
}

/** The form of an invitation. */
export function invitationPage(
  { organizationName, roles }: { readonly organizationName: string; readonly roles: readonly string[] },
  retry?: Retry,
): string {
  const wrong = retry === undefined ? '' : `<p class="wrong" role="alert">${escape(retry.message)}</p>`;
  const value = (text: string | undefined) => (text === undefined ? '' : ` value="${escape(text)}"`);
  return page(
    `Join ${organizationName}`,
    `<p>You are invited as <strong>${escape(roles.join(', '))}</strong>. This link works once.</p>${wrong}
<form method="post">
<label>Your name <input name="name" autocomplete="name" required maxlength="255"${value(retry?.name)}></label>
<label>Your e-mail <span>The one that the invitation was made for.</span>
<input name="email" type="email" autocomplete="email" required maxlength="254"${value(retry?.email)}></label>
<details${retry?.needsKey === true ? ' open' : ''}><summary>I have an account on this server already</summary>
<label>One of your keys <input name="key" type="password" autocomplete="off" maxlength="200"></label></details>
<button>Join</button>
</form>`,
  );
}

/** What somebody sees who joined. */
export function joinedPage(
  { organizationName, key }: { readonly organizationName: string; readonly key: string },
  mcp: string,
): string {
  return page(
    `Welcome to ${organizationName}`,
    `<div class="card"><strong>Your key</strong><code>${escape(key)}</code>
<span>Keep it now: it is shown this once. Whoever has it acts as you.</span></div>
<p class="next">Use it as a bearer token at <code>${escape(mcp)}</code>, or as PARLEY_KEY on the command line.</p>`,
  );
}

/** What somebody sees whose link does not work. */
export function problemPage(title: string, message: string): string {
  return page(title, `<p>${escape(message)}</p>`);
}

function page(title: string, main: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><main><h1>${escape(title)}</h1>
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

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
