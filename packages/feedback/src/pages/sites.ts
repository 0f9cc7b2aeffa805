/** Which organization's pages a host name shows; every other name shows those of the first organization. */
import type { IncomingMessage } from 'node:http';
import type { AllowedNames } from '@parley/http';

/** The site that a request asks for. */
export interface Site {
  /** The slug of its organization; absent: the first one. */
  readonly slug?: string;
  /** The address that the world knows it by; absent: the one that was asked for, without encryption. */
  readonly publicUrl?: string | undefined;
}

/** The sites of a server. */
export interface Sites {
  /** The names that the pages answer to. */
  readonly names: AllowedNames;
  /** The site that a request asks for, once its Host is known to be one of these names. */
  of(req: IncomingMessage): Site;
}

const PAIR = /^([a-z0-9-]{1,50})=([a-z0-9.-]{1,253})$/i;

/** Creates the sites from pairs like `beta=feedback.beta.example`. */
export function createSites(options: {
  readonly names: AllowedNames;
  readonly publicUrl?: string | undefined;
  readonly organizationHosts?: readonly string[] | undefined;
}): Sites {
  const { names, publicUrl, organizationHosts = [] } = options;
  const slugs = new Map(organizationHosts.map(pairOf));
  // The public address is a name of this server like any other.
  const own = publicUrl === undefined ? undefined : new URL(publicUrl);
  return {
    names: {
      hosts: [...names.hosts, ...slugs.keys(), ...(own === undefined ? [] : [own.hostname])],
      origins: [...names.origins, ...(own === undefined ? [] : [own.origin])],
    },
    of({ headers: { host = '' } }) {
      const slug = slugs.get(host.split(':')[0]?.toLowerCase() ?? '');
      if (slug === undefined) return { publicUrl };
      // The proxy that speaks https for the public address does so for the other names too.
      return { slug, publicUrl: `${own?.protocol ?? 'http:'}//${host}` };
    },
  };
}

function pairOf(text: string): [host: string, slug: string] {
  const [, slug, host] = PAIR.exec(text) ?? [];
  if (slug === undefined || host === undefined)
    throw new Error(
      `--organization-host: "${text.slice(0, 100)}" is not SLUG=HOST. Write it like beta=feedback.beta.example.`,
    );
  return [host.toLowerCase(), slug.toLowerCase()];
}
