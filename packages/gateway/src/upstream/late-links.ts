/** Links whose code is loaded with the first use of their kind: HTTP, programs and OpenAPI each by itself. */
import type { UpstreamTarget } from '@parley/connections';
import type { Late } from '../late.ts';
import { late } from '../late.ts';
import type { Link, Links } from './link.ts';
import type { LinkOptions } from './links.ts';
import type { ProgramOptions } from './stdio/allowed-start.ts';

export interface LateLinkOptions extends Pick<LinkOptions, 'egress' | 'info' | 'onFault' | 'hopKey'> {
  /** Absent: no program is ever started. */
  readonly programs?: ProgramOptions | undefined;
}

/** The links of all kinds; what they have open ends with `close`. */
export function createLateLinks({ programs, ...options }: LateLinkOptions): Links {
  const { egress, info, onFault } = options;
  const stdio = lateLinks(async () => {
    const { createStdioLinks } = await import('./stdio/stdio-links.ts');
    return createStdioLinks({ programs, info, onFault });
  });
  const openapi = lateLinks(async () => {
    const { createOpenApiLinks } = await import('./openapi/openapi-links.ts');
    return createOpenApiLinks({ egress });
  });
  return lateLinks(async () => {
    const { createLinks } = await import('./links.ts');
    return createLinks({ ...options, stdio, openapi });
  });
}

function lateLinks(make: () => Promise<Links>): Links {
  const links = late(make);
  return {
    of: (target) => links.now?.of(target) ?? lateLink(links, target),
    forget: (connectionId) => links.whenUsed((part) => part.forget(connectionId)),
    close: () => links.whenUsed((part) => part.close()),
  };
}

/** The link of whoever came before the code. */
function lateLink(links: Late<Links>, target: UpstreamTarget): Link {
  const link = async () => (await links.load()).of(target);
  return {
    facts: async (signal) => (await link()).facts(signal),
    request: async (request) => (await link()).request(request),
    watch: async (on) => (await link()).watch(on),
  };
}
