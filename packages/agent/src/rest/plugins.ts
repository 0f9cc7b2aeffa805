/** Routes of plugins; their right is reserved for owners. */
import { created, one } from '@parley/http/rest';
import * as z from 'zod';
import { CAPABILITIES } from '../services/plugins/manifest.ts';
import { defineRoute } from './route.ts';

const Plugin = z.object({
  name: z.string(),
  package_name: z.string(),
  version: z.string(),
  status: z.enum(['active', 'changed', 'disabled', 'error']),
  tools: z.array(z.string()),
  capabilities: z.array(z.object({ capability: z.string(), granted: z.boolean() })),
  note: z.string().nullable().describe('Why it does not run, or soon will not, and what to do'),
});
const OWNERS = { who: 'team', grants: ['plugins_manage'] } as const;
const Capability = z.strictObject({ capability: z.enum(CAPABILITIES) });

export const pluginRoutes = [
  defineRoute({
    ...OWNERS,
    method: 'GET',
    path: '/',
    summary: 'The plugins that run, and all that were ever loaded',
    answer: one('PluginList', z.object({ loaded: z.array(Plugin), all: z.array(Plugin) })),
    run: ({ services, caller }) => services.plugins.list(caller.organizationId),
  }),
  defineRoute({
    ...OWNERS,
    method: 'POST',
    path: '/load',
    summary: 'Load a package of the data folder as a plugin, again where its files changed',
    isSensitive: true,
    effect: 'run',
    body: z.strictObject({
      package_name: z.string().max(214).describe('A folder in plugins/ of the data folder, or a module'),
      autoGrant: z.boolean().default(false).describe('Grant all that it declares'),
    }),
    answer: created('LoadedPlugin', Plugin, () => '/api/plugins'),
    run: ({ services, caller, body }) =>
      services.plugins.load(caller, body.package_name, { autoGrant: body.autoGrant }),
  }),
  defineRoute({
    ...OWNERS,
    method: 'POST',
    path: '/:name/unload',
    summary: 'Stop a plugin and take its tools away',
    effect: 'delete',
    answer: one('UnloadedPlugin', Plugin),
    run: ({ services, caller, params }) => services.plugins.unload(caller, params.name),
  }),
  defineRoute({
    ...OWNERS,
    method: 'POST',
    path: '/:name/grant',
    summary: 'Grant a capability that the plugin declares',
    isSensitive: true,
    effect: 'update',
    body: Capability,
    answer: one('GrantedPlugin', Plugin),
    run: ({ services, caller, params, body }) => services.plugins.grant(caller, params.name, body.capability),
  }),
  defineRoute({
    ...OWNERS,
    method: 'POST',
    path: '/:name/revoke',
    summary: 'Revoke a capability; it holds from the next call',
    effect: 'update',
    body: Capability,
    answer: one('RevokedPlugin', Plugin),
    run: ({ services, caller, params, body }) =>
      services.plugins.revoke(caller, params.name, body.capability),
  }),
];
