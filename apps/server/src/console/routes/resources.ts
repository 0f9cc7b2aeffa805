/** Documents of an endpoint, read as the person who is signed in: among them the pages of MCP Apps. */
import { plainErrorOf } from '@parley/gateway';
import { HttpRefusal } from '@parley/http';
import { one } from '@parley/http/rest';
import { ProtocolFault } from '@parley/kit';
import * as z from 'zod';
import { exchangeOf } from '../call-tool.ts';
import { engineNamed } from '../engine-named.ts';
import { defineRoute } from '../scope.ts';

const Content = z.looseObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});

export const resourceRoutes = [
  defineRoute({
    method: 'GET',
    path: '/resource',
    summary: 'Read a document of an endpoint, as resources/read does',
    who: 'person',
    // The engine records it.
    isQuiet: true,
    query: z.strictObject({
      endpoint: z.string().min(1).max(200).describe('What stands after /mcp/'),
      uri: z.string().min(1).max(2048),
      mode: z.string().max(40).optional().describe('The mode of a virtual MCP'),
    }),
    answer: one('Resource', z.object({ contents: z.array(Content) })),
    async run(scope) {
      const { gateway, caller, query } = scope;
      const engine = await engineNamed(gateway, caller, query);
      try {
        const exchange = exchangeOf({ ...scope, body: { arguments: {} } });
        const result = await engine.documents.read(caller, query.uri, exchange);
        if (!('contents' in result) || !Array.isArray(result.contents))
          throw new HttpRefusal('CONFLICT', 'This document asks for more before it can be read.');
        return { contents: result.contents.map((content: object) => ({ ...content })) };
      } catch (error) {
        throw error instanceof ProtocolFault ? plainErrorOf(error) : error;
      }
    },
  }),
];
