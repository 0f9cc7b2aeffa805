/** The changelog as RSS 2.0. */
import type { PublicReading } from '../services/public/public.ts';
import type { PublicChange } from '../services/public/shapes.ts';
import type { Answer } from './answer.ts';
import { shared } from './answer.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';
import { siteName } from './layout.ts';
import type { Markdown } from './markdown.ts';
import { plainText } from './plain-text.ts';

const ENTRIES = 30;
const MAX_AGE_S = 60;

/** The feed; its bytes change only when an entry does. */
export async function feed(reading: PublicReading, base: string): Promise<Answer> {
  const [{ items }, { markdown }] = await Promise.all([
    reading.changes({ limit: ENTRIES }),
    import('./markdown.ts'),
  ]);
  const name = siteName(reading.site);
  const newest = Math.max(0, ...items.map(({ publishedAt, updatedAt }) => Math.max(publishedAt, updatedAt)));
  const document = html`<?xml version="1.0" encoding="UTF-8"?>
    <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
    <title>${plainText(name)} changelog</title>
    <link>${base}/feedback/changelog</link>
    <atom:link href="${base}/changelog.xml" rel="self" type="application/rss+xml"/>
    <description>What is new at ${plainText(name)}.</description>
    <language>en</language>
    ${newest > 0 && html`<lastBuildDate>${new Date(newest).toUTCString()}</lastBuildDate>`}
    ${items.map((change) => item(change, base, markdown))}
    </channel></rss>
    `;
  return shared('application/rss+xml; charset=utf-8', document.text, MAX_AGE_S);
}

function item(change: PublicChange, base: string, markdown: Markdown): Html {
  // The id stays when title, text or time change, so no reader shows an entry twice.
  return html`<item>
    <title>${plainText(change.title)}</title>
    <link>${base}/feedback/changelog/${change.id}</link>
    <guid isPermaLink="false">${change.id}</guid>
    <pubDate>${new Date(change.publishedAt).toUTCString()}</pubDate>
    ${change.labels.map((label) => html`<category>${plainText(label)}</category>`)}
    <description>${plainText(markdown(change.content, { top: 3 }).text)}</description>
    </item>
    `;
}
