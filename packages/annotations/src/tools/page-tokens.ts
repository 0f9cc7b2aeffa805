/** Tools for administrators: the tokens that pages connect with. They are served only to keys that name them. */
import { administratorsOnly, defineToolFor, GivenId } from '@parley/kit';
import * as z from 'zod';
import type { AnnotationServices } from '../services/index.ts';
import { originOf } from '../services/page-tokens.ts';

// An administrator who looks after tokens is no agent at work, so these calls stamp nobody.
const defineTool = defineToolFor<AnnotationServices>();

const MAX_ORIGINS = 50;

const PageToken = z.object({
  id: z.string(),
  state: z.enum(['valid', 'revoked']),
  origins: z.array(z.string()).describe('Empty: loopback pages and what the server allows'),
  pages: z.int().describe('Connected now'),
  createdAt: z.string(),
  revokedAt: z.string().optional(),
});

const id = GivenId.describe('Id of the page token (ptk_...)');

const guard = { privileged: 'by-name', available: administratorsOnly } as const;

/** Lists the tokens, without their text. */
export const listPageTokens = defineTool({
  name: 'list_page_tokens',
  title: 'List page tokens',
  description: 'Lists the tokens that pages connect with, newest first, without their text.',
  effect: 'read',
  ...guard,
  input: z.object({}),
  output: z.object({ pageTokens: z.array(PageToken) }),
  async run(_input, { services, caller }) {
    return { pageTokens: await services.pageTokens.list(caller.organizationId, services.limits.listItems) };
  },
});

/** Binds a token to origins. */
export const updatePageToken = defineTool({
  name: 'update_page_token',
  title: 'Bind a page token',
  description:
    'Binds a page token to origins: pages of others are disconnected and refused. An empty list lifts the binding.',
  effect: 'update',
  ...guard,
  input: z.object({
    id,
    origins: z
      .array(
        z
          .string()
          .max(300)
          .refine((text) => originOf(text) !== undefined, {
            message: 'must be an origin such as https://shop.example, without a path, or null for file pages',
          }),
      )
      .max(MAX_ORIGINS)
      .describe('Such as https://shop.example'),
  }),
  output: PageToken,
  run: (input, { services, caller }) =>
    services.pageTokens.allow(caller.organizationId, input.id, input.origins),
});

/** Ends a token. */
export const revokePageToken = defineTool({
  name: 'revoke_page_token',
  title: 'Revoke a page token',
  description:
    'Ends a page token for good and disconnects its pages. The next start of the server makes a new one.',
  effect: 'delete',
  ...guard,
  input: z.object({ id }),
  output: PageToken,
  run: (input, { services, caller }) => services.pageTokens.revoke(caller.organizationId, input.id),
});
