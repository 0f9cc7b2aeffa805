/** From a document to a service: everything that is computed of it, wherever that runs. */
import { baseAddress } from './base-address.ts';
import type { JsonObject } from './json.ts';
import { fieldOf, objectIn, textIn } from './json.ts';
import { MAX_DESCRIPTION } from './limits.ts';
import { toolsOf } from './operations.ts';
import { faultsOf, readDocument } from './read-document.ts';
import type { ServiceHead, ServiceTool, Source } from './service.ts';

/** Translates a document; throws a `BadDocument` when nothing can be made of it. */
export async function translate({
  text,
  url,
  server,
}: Source): Promise<{ head: ServiceHead; tools: readonly ServiceTool[] }> {
  const document = await readDocument(text);
  const base = baseAddress(document, url, server);
  const isOld = String(fieldOf(document, 'openapi')).startsWith('3.0');
  const { tools, leftOut } = toolsOf({ document, isOld }, { documentUrl: url, base });
  return { tools, head: { ...saidOf(document), leftOut: [...leftOut, ...(await faultsOf(document))] } };
}

function saidOf(document: JsonObject): Omit<ServiceHead, 'leftOut'> {
  const info = objectIn(fieldOf(document, 'info'));
  const title = textIn(fieldOf(info, 'title'), 200);
  return {
    info: {
      name: title ?? 'openapi',
      version: textIn(fieldOf(info, 'version'), 100) ?? '0',
      ...(title !== undefined && { title }),
    },
    instructions: textIn(fieldOf(info, 'description'), MAX_DESCRIPTION) ?? null,
  };
}
