/** What a site chose to look like: its colour as a style, its logo and its icon. */
import type { SiteImageKind } from '../../shapes/inbox.ts';
import type { Answer } from '../answer.ts';
import { brandStyle } from '../brand.ts';
import type { Visit } from '../visit.ts';

const YEAR_S = 365 * 24 * 60 * 60;

/** The style that the chosen colour makes; undefined for sites that chose none. */
export async function brandFile(visit: Visit): Promise<Answer | undefined> {
  const { accentColor } = visit.reading.site;
  if (accentColor === null) return undefined;
  return {
    status: 200,
    headers: {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': keptFor(visit, versionOf(accentColor)),
    },
    body: brandStyle(accentColor),
  };
}

/** A picture; undefined where there is none. */
export async function imageFile(visit: Visit, kind: SiteImageKind): Promise<Answer<Buffer> | undefined> {
  const image = await visit.reading.image(kind);
  return (
    image && {
      status: 200,
      headers: { 'content-type': image.type, 'cache-control': keptFor(visit, image.version) },
      body: Buffer.from(image.data, 'base64'),
    }
  );
}

/** What stands in the address of the style, so that another colour is another address. */
export function versionOf(accentColor: string): string {
  return accentColor.slice(1).toLowerCase();
}

function keptFor({ url }: Visit, version: string): string {
  const isPinned = url.searchParams.get('v') === version;
  return isPinned ? `public, max-age=${YEAR_S}, immutable` : 'public, no-cache';
}
