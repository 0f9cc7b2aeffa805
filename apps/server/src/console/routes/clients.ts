/** Configurations of clients to copy. */
import { whole } from '@parley/http/rest';
import * as z from 'zod';
import { clientTexts } from '../clients.ts';
import { defineRoute } from '../scope.ts';

const Client = z.object({
  id: z.string(),
  title: z.string(),
  language: z.enum(['shell', 'json', 'toml']),
  text: z.string().describe('With PARLEY_KEY where the key goes'),
  where: z.string(),
});

const ENDPOINT = /^[\w-]+(?:\/[\w-]+)?$/;

export const clientRoutes = [
  defineRoute({
    method: 'GET',
    path: '/clients',
    summary: 'What to tell each client so that it connects',
    who: 'person',
    isQuiet: true,
    query: z.strictObject({
      endpoint: z
        .string()
        .max(200)
        .regex(ENDPOINT)
        .optional()
        .describe('What stands after /mcp/; absent: everything'),
      mode: z.string().max(40).regex(/^\w+$/).optional().describe('The mode of a virtual MCP'),
    }),
    answer: whole('Client', Client),
    async run({ query: { endpoint, mode }, config, exchange }) {
      const base = config.web.publicUrl ?? `http://${exchange.req.headers.host ?? 'localhost'}`;
      const path = endpoint === undefined ? '/mcp' : `/mcp/${endpoint}`;
      return clientTexts(`${base}${path}${mode === undefined ? '' : `?mode=${mode}`}`);
    },
  }),
];
