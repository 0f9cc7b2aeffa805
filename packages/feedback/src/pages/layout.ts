/** The frame of every page: head, navigation, main part. */
import type { PublicSite } from '../services/public/shapes.ts';
import type { Part } from './html.ts';
import { html } from './html.ts';
import { SCRIPT_PATH, STYLE_PATH } from './files.ts';
import { imagePath } from '../services/people/settings.ts';
import { versionOf } from './views/brand.ts';
import type { Visit } from './visit.ts';

/** One page before it is framed. */
export interface Sheet {
  /** Absent while nothing is published. */
  readonly visit?: Visit | undefined;
  readonly title: string;
  readonly description?: string;
  /** The address that search engines should know; absent for pages that they should not. */
  readonly canonical?: string;
  readonly section?: Section;
  readonly main: Part;
}

/** Where a page stands in the navigation. */
export type Section = 'boards' | 'roadmap' | 'changelog';

const SECTIONS: readonly { section: Section; path: string; name: string }[] = [
  { section: 'boards', path: '/feedback', name: 'Boards' },
  { section: 'roadmap', path: '/feedback/roadmap', name: 'Roadmap' },
  { section: 'changelog', path: '/feedback/changelog', name: 'Changelog' },
];

/** What the site calls itself; nobody chose the name of the first organization. */
export function siteName({ name }: PublicSite): string {
  return name === 'Default' ? 'Feedback' : name;
}

/** The whole document. */
export function layout(sheet: Sheet): string {
  const { visit, title, description, canonical, main } = sheet;
  const name = visit === undefined ? 'Feedback' : siteName(visit.reading.site);
  const heading = title === name ? title : `${title} · ${name}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${heading}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${description !== undefined && html`<meta name="description" content="${excerpt(description, 160)}" />`}
        ${
          visit === undefined || canonical === undefined
            ? html`<meta name="robots" content="noindex" />`
            : html`<link rel="canonical" href="${visit.base}${canonical}" />`
        }
        ${
          visit !== undefined &&
          html`<link
            rel="alternate"
            type="application/rss+xml"
            title="${name} changelog"
            href="/changelog.xml"
          />`
        }
        <link rel="icon" href="${iconOf(visit)}" />
        <link rel="stylesheet" href="${STYLE_PATH}" />
        ${visit !== undefined && brand(visit)}
        <script src="${SCRIPT_PATH}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        ${visit !== undefined && header(visit, name, sheet.section)}
        <main id="main" tabindex="-1">${main}</main>
        ${visit !== undefined && html`<footer class="foot"><a href="/changelog.xml">RSS feed</a></footer>`}
      </body>
    </html>`.text;
}

function header(visit: Visit, name: string, current: Section | undefined): Part {
  return html`<header class="top">
    <div class="bar">
      <a class="brand" dir="auto" href="/feedback">${logo(visit)}${name}</a>
      <nav aria-label="Pages">
        <ul>
          ${SECTIONS.map(
            ({ section, path, name: label }) =>
              html`<li>
                <a href="${path}" ${section === current && html` aria-current="page"`}>${label}</a>
              </li>`,
          )}
        </ul>
      </nav>
      ${visitor(visit)}
    </div>
  </header>`;
}

function iconOf(visit: Visit | undefined): string {
  const version = visit?.reading.site.favicon ?? null;
  // Without an address browsers would ask for one that is not there.
  return version === null ? 'data:,' : imagePath('favicon', version);
}

function brand({ reading }: Visit): Part {
  const { accentColor } = reading.site;
  return (
    accentColor !== null &&
    html`<link rel="stylesheet" href="/feedback/brand.css?v=${versionOf(accentColor)}" />`
  );
}

/** The name stands beside it, so it says nothing more. */
function logo({ reading }: Visit): Part {
  const { logo: version } = reading.site;
  return version !== null && html`<img class="logo" src="${imagePath('logo', version)}" alt="" />`;
}

function visitor({ session }: Visit): Part {
  if (session === undefined) return html`<a class="who" href="/feedback/sign-in">Sign in</a>`;
  return html`<form class="who" method="post" action="/feedback/sign-out">
    <input type="hidden" name="csrf" value="${session.csrfToken}" />
    <span class="name" dir="auto">${session.caller.name}</span>
    <button class="quiet">Sign out</button>
  </form>`;
}

/** The beginning of a text on one line. */
export function excerpt(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  const cut = line.slice(0, length - 1);
  const end = cut.lastIndexOf(' ');
  return `${(end > length / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`;
}
