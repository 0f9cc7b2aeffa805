/** Routes of imports and exports. */
import { created, download, nothing, one, whole } from '@parley/http/rest';
import * as z from 'zod';
import { CreateImport, EXPORT_FORMS, Import, ImportPart, RunImport } from '../../shapes/transfer.ts';
import { defineRoute } from '../route.ts';
import { WHO_MAY } from '../../services/who-may.ts';
import { whoFor } from '../../team-surface.ts';

const importRoutes = [
  defineRoute({
    method: 'GET',
    path: '/imports',
    summary: 'The newest imports, with what came of them',
    who: whoFor(WHO_MAY.uploads.list),
    grants: ['manage_transfers'],
    answer: whole('Import', Import),
    run: ({ services, actor }) => services.uploads.list(actor),
  }),
  defineRoute({
    method: 'POST',
    path: '/imports',
    summary: 'Begin an import; its file comes in pieces after that',
    who: whoFor(WHO_MAY.uploads.create),
    grants: ['manage_transfers'],
    body: CreateImport.strict(),
    answer: created('Import', Import, ({ id }) => `/imports/${id}`),
    run: ({ services, actor, body }) => services.uploads.create(actor, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/imports/:id',
    summary: 'How far an import is, and what came of it',
    who: whoFor(WHO_MAY.uploads.get),
    grants: ['manage_transfers'],
    answer: one('Import', Import),
    run: ({ services, actor, params }) => services.uploads.get(actor, params.id),
  }),
  defineRoute({
    method: 'PUT',
    path: '/imports/:id/parts/:number',
    summary: 'Send a piece of the file, counted from 0; safe to repeat',
    who: whoFor(WHO_MAY.uploads.putPart),
    grants: ['manage_transfers'],
    body: ImportPart.strict(),
    answer: one('Import', Import),
    run: ({ services, actor, params, body }) =>
      services.uploads.putPart(actor, params.id, params.number, body.data),
  }),
  defineRoute({
    method: 'POST',
    path: '/imports/:id/run',
    summary: 'Check what is in the file, or write it',
    who: whoFor(WHO_MAY.uploads.run),
    grants: ['manage_transfers'],
    body: RunImport.strict(),
    answer: one('Import', Import),
    run: ({ services, actor, caller, params, body }) => services.uploads.run(actor, caller, params.id, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/imports/:id',
    summary: 'Stop an import and forget its file; posts that are written stay',
    who: whoFor(WHO_MAY.uploads.remove),
    grants: ['manage_transfers'],
    answer: nothing,
    run: ({ services, actor, params, check }) => services.uploads.remove(actor, params.id, check),
  }),
];

const exportRoute = defineRoute({
  method: 'GET',
  path: '/export',
  summary: 'Everything as an archive, or the listed posts as CSV; holds e-mail addresses',
  who: 'admin',
  grants: ['manage_transfers'],
  query: z.strictObject({
    form: z.enum(EXPORT_FORMS).optional().describe('archive (JSON Lines) when absent'),
  }),
  answer: download,
  async run({ services, actor, query: { form = 'archive' } }) {
    const { exportArchive, exportPostsCsv } = await import('../../transfer/index.ts');
    const day = new Date(services.now()).toISOString().slice(0, 10);
    return form === 'csv'
      ? {
          fileName: `posts-${day}.csv`,
          type: 'text/csv; charset=utf-8',
          write: (put) => exportPostsCsv(services, actor, put),
        }
      : {
          fileName: `feedback-${day}.jsonl`,
          type: 'application/x-ndjson',
          write: (put) => exportArchive(services, actor, put),
        };
  },
});

export const transferRoutes = [...importRoutes, exportRoute];
