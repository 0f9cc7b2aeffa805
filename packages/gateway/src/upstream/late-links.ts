/** Links whose code is loaded with the first use of their kind: HTTP, programs and OpenAPI each by itself. */
import type { UpstreamTarget } from '@parley/connections';
import type { Late } from '../late.ts';
import { late } from '../late.ts';
import type { Link, Links } from './link.ts';
import type { LinkOptions } from './links.ts';
import type { ProgramOptions } from './stdio/allowed-start.ts';
import type { StdioLinks } from './stdio/stdio-links.ts';

export interface LateLinkOptions extends Pick<
  LinkOptions,
  'egress' | 'info' | 'onFault' | 'hopKey' | 'onEra'
> {
  /** Absent: no program is ever started. */
  readonly programs?: ProgramOptions | undefined;
}

/** Links, and what the programs among them wrote for people. */
export type LateLinks = Links & Pick<StdioLinks, 'stderrOf'>;

/** The links of all kinds; what they have open ends with `close`. */
export function createLateLinks({ programs, ...options }: LateLinkOptions): LateLinks {
  const { egress, info, onFault, onEra, hopKey } = options;
  const running = late(async () => {
    const { createStdioLinks } = await import('./stdio/stdio-links.ts');
    return createStdioLinks({ programs, info, onFault, onEra });
  });
  const stdio = linksOver(running);
  const openapi = linksOver(
    late(async () => {
      const { createOpenApiLinks } = await import('./openapi/openapi-links.ts');
      return createOpenApiLinks({ egress, hopKey });
    }),
  );
  const all = late(async () => {
    const { createLinks } = await import('./links.ts');
    return createLinks({ ...options, stdio, openapi });
  });
  // Nobody has written anything before a program was started.
  return { ...linksOver(all), stderrOf: (connectionId) => running.now?.stderrOf(connectionId) ?? [] };
}

function linksOver(links: Late<Links>): Links {
  return {
    of: (target) => links.now?.of(target) ?? lateLink(links, target),
    forget: (connectionId) => links.whenUsed((part) => part.forget(connectionId)),
    close: () => links.whenUsed((part) => part.close()),
  };
}

/** The link of whoever came before the code. */
function lateLink(links: Late<Links>, target: UpstreamTarget): Link {
  let made: Link | undefined;
  // One and the same, so that it ends when its connection is forgotten.
  const link = async () => (made ??= (await links.load()).of(target));
  return {
    facts: async (signal) => (await link()).facts(signal),
    request: async (request) => (await link()).request(request),
    watch: async (on, uris) => (await link()).watch(on, uris),
  };
}
