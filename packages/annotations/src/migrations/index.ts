/** Migrations of annotations, in order. */
import type { MigrationSet } from '@parley/store';
import { createAnnotations } from './001-annotations.ts';
import { addNoteLeases } from './002-note-leases.ts';
import { indexNotesWithoutLease } from './003-notes-without-lease.ts';

/** Applied by the program that opens the store. */
export const annotationMigrations: MigrationSet = {
  name: 'annotations',
  migrations: {
    '001-annotations': createAnnotations,
    '002-note-leases': addNoteLeases,
    '003-notes-without-lease': indexNotesWithoutLease,
  },
};
