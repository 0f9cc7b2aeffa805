/** The front of the site: the console, or for strangers what the team has published. */
import type { Gateway } from '@parley/gateway';
import { createFrontDoor, namesWith } from '@parley/http';
import { signedIn } from '@parley/http/pages';
import type { ConsoleParts } from './index.ts';
import { PAGES_PREFIX } from './index.ts';

/** Sends whoever asks for nothing but the site to where they belong. */
export function createFront(
  parts: Pick<ConsoleParts, 'host' | 'config' | 'others'>,
): Pick<Gateway, 'handle'> {
  const { host, config, others } = parts;
  const { publicUrl } = config.web;
  const door = createFrontDoor(namesWith(host.names, publicUrl), config.limits);
  return {
    async handle(req, res) {
      door.check(req);
      const person = await signedIn(req, { identity: host.identity, publicUrl });
      const published = person === undefined ? await firstFront(others, req) : undefined;
      // Where it leads depends on who asks, and on what is published by then.
      res.writeHead(302, { location: published ?? PAGES_PREFIX, 'cache-control': 'no-store' }).end();
    },
  };
}

async function firstFront(
  sets: ConsoleParts['others'],
  req: Parameters<Gateway['handle']>[0],
): Promise<string | undefined> {
  for (const set of sets) {
    const place = await set.front?.(req);
    if (place !== undefined) return place;
  }
  return undefined;
}
