/** Where a service is: what its document says, held to the origin that its owner agreed to. */
import type { JsonObject } from './json.ts';
import { fieldOf, listIn, objectIn } from './json.ts';
import { BadDocument, Unsupported } from './service.ts';

/** The address that the paths of a document begin with: origin and path, without a slash at the end. */
export function baseAddress(document: JsonObject, documentUrl: string, given: string | null): string {
  if (given !== null) return plainAddress(new URL(given));
  const base = serverAddress(listIn(fieldOf(document, 'servers'))[0] ?? {}, documentUrl);
  if (base === undefined)
    throw new BadDocument(
      'The first of the servers in the document has no usable address. Set metadata.gateway.openapiServer.',
    );
  if (base.origin !== new URL(documentUrl).origin)
    throw new BadDocument(
      'The document names a server of another origin than its own. Set metadata.gateway.openapiServer to its address if requests shall go there.',
    );
  return plainAddress(base);
}

/** The base of an operation or a path that names servers of its own, which stay with the origin of the others. */
export function ownBase(holder: JsonObject, documentUrl: string, base: string): string | undefined {
  const [server] = listIn(fieldOf(holder, 'servers'));
  if (server === undefined) return undefined;
  const own = serverAddress(server, documentUrl);
  if (own === undefined) throw new Unsupported('Its server has no usable address.');
  if (own.origin !== new URL(base).origin)
    throw new Unsupported('Its server has another origin than that of the service.');
  return plainAddress(own);
}

/** The address of one server with the defaults of its variables. */
function serverAddress(given: unknown, documentUrl: string): URL | undefined {
  const server = objectIn(given);
  const template = fieldOf(server, 'url') ?? '/';
  if (typeof template !== 'string') return undefined;
  const variables = objectIn(fieldOf(server, 'variables'));
  const [first = '', ...rest] = template.split('{');
  let address = first;
  for (const part of rest) {
    const end = part.indexOf('}');
    const value = fieldOf(objectIn(fieldOf(variables, part.slice(0, Math.max(end, 0)))), 'default');
    if (end === -1 || (typeof value !== 'string' && typeof value !== 'number')) return undefined;
    address += `${value}${part.slice(end + 1)}`;
  }
  const url = URL.parse(address, documentUrl);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  return url.username === '' && url.password === '' ? url : undefined;
}

function plainAddress({ origin, pathname }: URL): string {
  return pathname.endsWith('/') ? origin + pathname.slice(0, -1) : origin + pathname;
}
